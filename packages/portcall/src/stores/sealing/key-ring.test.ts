import { describe, expect, test } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import { createMemoryStore } from '../memory/store.ts'
import type { KeyValueStore } from '../store.ts'
import { createStoredKeyRing } from './key-ring.ts'
import { createSealer, generateKey, type Sealer } from './seal.ts'

const HOUR_MS = 3_600_000
const seal = (sealer: Sealer, value: string): Promise<string> => sealer.seal('test', value, { ttlMs: HOUR_MS })
const open = (sealer: Sealer, token: string): Promise<unknown> => sealer.open('test', token)
/** Creates a sealer as another process on the store does. */
const process = (store: KeyValueStore): Sealer => createSealer({ keys: createStoredKeyRing(store) })

async function clear(store: KeyValueStore): Promise<void> {
  for (const key of await store.list('')) await store.delete(key)
}

describe('a sealing key in a store that loses its data', () => {
  test('is put back by a process that has it, so that later processes have the same', async () => {
    const store = createMemoryStore()
    const first = process(store)
    const token = await seal(first, 'a')
    const key = await store.get('seal/ring')
    await clear(store)
    await eventually(async () => expect(await store.get('seal/ring')).toBe(key), { intervalMs: 50 })
    expect(await open(process(store), token)).toBe('a')
  })

  test('and gets another one: all processes open what each of them has sealed', async () => {
    const store = createMemoryStore()
    const [first, second] = [process(store), process(store)]
    const before = await Promise.all([seal(first, 'a'), seal(second, 'b')])
    await clear(store)
    const restarted = process(store)
    const after = await seal(restarted, 'c')
    const tokens = [...before, after]
    for (const sealer of [first, second, restarted])
      await eventually(
        async () => expect(await Promise.all(tokens.map((token) => open(sealer, token)))).toEqual(['a', 'b', 'c']),
        {
          intervalMs: 50,
        },
      )
    const current = await Promise.all([first, second, restarted].map((sealer) => seal(sealer, 'd')))
    for (const sealer of [first, second, restarted])
      expect(await Promise.all(current.map((token) => open(sealer, token)))).toEqual(['d', 'd', 'd'])
  })

  test('stays in use while the store is away', async () => {
    const store = createMemoryStore()
    let isAway = false
    const failing: KeyValueStore = {
      ...store,
      get: (key) => (isAway ? Promise.reject(new Error('away')) : store.get(key)),
    }
    const sealer = process(failing)
    const token = await seal(sealer, 'a')
    isAway = true
    expect(await open(sealer, token)).toBe('a')
    await expect(open(sealer, await seal(createSealer({ keys: [generateKey()] }), 'x'))).rejects.toMatchObject({
      reason: 'tampered',
    })
    expect(await open(sealer, await seal(sealer, 'b'))).toBe('b')
  })

  test('ignores a value that is not a key', async () => {
    const store = createMemoryStore()
    const sealer = process(store)
    const token = await seal(sealer, 'a')
    await store.set('seal/ring', 'nonsense')
    const foreign = await seal(createSealer({ keys: [generateKey()] }), 'x')
    for (let turn = 0; turn < 3; turn++) await expect(open(sealer, foreign)).rejects.toMatchObject({ reason: 'tampered' })
    expect(await open(sealer, token)).toBe('a')
    expect(await open(sealer, await seal(sealer, 'b'))).toBe('b')
  })
})
