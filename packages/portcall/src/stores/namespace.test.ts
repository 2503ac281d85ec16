import { expect, test } from 'vitest'
import { storeContract } from '../testing/contracts/store-contract.ts'
import { createMemoryStore } from './memory/store.ts'
import { namespaceStore } from './namespace.ts'

storeContract({
  test,
  async create() {
    let time = 1_000_000
    const store = createMemoryStore({ now: () => time })
    await store.set('a other', 'x')
    await store.set('c other', 'x')
    const advance = (ms: number): void => {
      time += ms
    }
    return { subject: namespaceStore(store, 'b '), advance }
  },
})

test('parts of a store with different prefixes share no keys', async () => {
  const store = createMemoryStore()
  const [first, second] = [namespaceStore(store, 'first '), namespaceStore(store, 'second ')]
  await first.set('key', '1')
  expect([await first.get('key'), await second.get('key'), await store.get('first key')]).toEqual(['1', undefined, '1'])
  expect(await second.compareAndSet('key', { expected: '1', value: '2' })).toBe(false)
  expect([await first.list(''), await second.list(''), await second.count('')]).toEqual([['key'], [], 0])
})
