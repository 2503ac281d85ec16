import type { KeyValueStore } from '../../stores/store.ts'
import { assertEqual, type ContractCase, EDGE_CASE_STRINGS, runCases, type TestFramework } from './contract.ts'
import { storeModelCases } from './store-model.ts'

/** Registers the tests that every `KeyValueStore` must pass. */
export function storeContract(framework: TestFramework<KeyValueStore>): void {
  runCases(framework, undefined, { ...storeValues, ...storeExpiry, ...storeCompareAndSet, ...storeListing, ...storeModelCases })
}

const storeValues: Record<string, ContractCase<KeyValueStore>> = {
  'store: an absent key has no value': async (store) => {
    assertEqual(await store.get('absent'), undefined)
    await store.delete('absent')
  },
  'store: a value is set, read, replaced and deleted': async (store) => {
    await store.set('key', 'one')
    await store.set('key', 'two')
    assertEqual(await store.get('key'), 'two')
    await store.delete('key')
    assertEqual(await store.get('key'), undefined)
  },
  'store: any string is a valid key and value': async (store) => {
    for (const text of EDGE_CASE_STRINGS) assertEqual(await store.get(text), undefined)
    for (const text of EDGE_CASE_STRINGS) await store.set(text, `value of ${text}`)
    for (const text of EDGE_CASE_STRINGS) assertEqual(await store.get(text), `value of ${text}`)
    await store.set('empty', '')
    assertEqual(await store.get('empty'), '')
  },
}

/** The TTL of keys that must not expire during a test, however slow the backend is. */
const HOUR_MS = 3_600_000

const storeExpiry: Record<string, ContractCase<KeyValueStore>> = {
  'store: an expired key has no value': async (store, advance) => {
    await store.set('short', 'x', { ttlMs: 100 })
    await store.set('long', 'x', { ttlMs: HOUR_MS })
    await advance(150)
    assertEqual([await store.get('short'), await store.get('long')], [undefined, 'x'])
  },
  'store: setting a key again replaces its TTL': async (store, advance) => {
    await store.set('key', 'x', { ttlMs: 100 })
    await store.set('key', 'y')
    await advance(150)
    assertEqual(await store.get('key'), 'y')
  },
  'store: an expired key is absent for compareAndSet': async (store, advance) => {
    await store.set('key', 'x', { ttlMs: 100 })
    await advance(150)
    assertEqual(await store.compareAndSet('key', { expected: 'x', value: 'y' }), false)
    assertEqual(await store.compareAndSet('key', { expected: undefined, value: 'z', ttlMs: HOUR_MS }), true)
    assertEqual(await store.get('key'), 'z')
    assertEqual(await store.compareAndSet('key', { expected: 'z', value: 'short', ttlMs: 100 }), true)
    await advance(150)
    assertEqual(await store.get('key'), undefined)
  },
}

const storeCompareAndSet: Record<string, ContractCase<KeyValueStore>> = {
  'store: compareAndSet writes only if the value is the expected one': async (store) => {
    assertEqual(await store.compareAndSet('key', { expected: 'x', value: 'y' }), false)
    assertEqual(await store.compareAndSet('key', { expected: undefined, value: 'x' }), true)
    assertEqual(await store.compareAndSet('key', { expected: undefined, value: 'y' }), false)
    assertEqual(await store.compareAndSet('key', { expected: 'x', value: 'y' }), true)
    assertEqual(await store.get('key'), 'y')
  },
  'store: compareAndSet deletes': async (store) => {
    await store.set('key', 'x')
    assertEqual(await store.compareAndSet('key', { expected: 'y', value: undefined }), false)
    assertEqual(await store.compareAndSet('key', { expected: 'x', value: undefined }), true)
    assertEqual(await store.get('key'), undefined)
    assertEqual(await store.compareAndSet('key', { expected: undefined, value: undefined }), true)
  },
  'store: exactly one of many concurrent compareAndSet calls succeeds': async (store) => {
    await store.set('key', 'start')
    const succeeded = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.compareAndSet('key', { expected: 'start', value: `winner ${index}` })),
    )
    assertEqual(succeeded.filter(Boolean).length, 1)
    assertEqual(await store.get('key'), `winner ${succeeded.indexOf(true)}`)
  },
  'store: exactly one of many concurrent deletions succeeds': async (store) => {
    for (let round = 0; round < 10; round++) {
      await store.set('key', `value ${round}`)
      const remove = (): Promise<boolean> => store.compareAndSet('key', { expected: `value ${round}`, value: undefined })
      assertEqual((await Promise.all([remove(), remove(), remove(), remove()])).filter(Boolean).length, 1)
      assertEqual(await store.get('key'), undefined)
    }
  },
  'store: concurrent compareAndSet calls for different keys do not interfere': async (store) => {
    const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`)
    const first = await Promise.all(keys.map((key) => store.compareAndSet(key, { expected: undefined, value: key })))
    const second = await Promise.all(
      keys.map((key, index) => store.compareAndSet(keys[index ^ 1] ?? key, { expected: key, value: 'wrong' })),
    )
    assertEqual([first.every(Boolean), second.some(Boolean)], [true, false])
    assertEqual(await Promise.all(keys.map((key) => store.get(key))), keys)
  },
  'store: a counter based on compareAndSet loses no increment': async (store) => {
    const increment = async (): Promise<void> => {
      const before = await store.get('count')
      if (!(await store.compareAndSet('count', { expected: before, value: String(Number(before ?? 0) + 1) }))) await increment()
    }
    await Promise.all(Array.from({ length: 10 }, increment))
    assertEqual(await store.get('count'), '10')
  },
}

const storeListing: Record<string, ContractCase<KeyValueStore>> = {
  'store: keys are listed and counted by prefix, in byte order': async (store) => {
    const sorted = ['a', 'a ', 'a%', 'a*', 'aB', 'a_', 'ab', 'aä', 'a\uffff', 'a\u{1f600}']
    for (const key of [...sorted].reverse()) await store.set(key, 'x')
    for (const key of ['b', 'A', '', 'ä']) await store.set(key, 'x')
    assertEqual([await store.list('a'), await store.count('a')], [sorted, sorted.length])
    for (const prefix of ['a%', 'a*', 'a_', 'aä', 'a\u{1f600}'])
      assertEqual([await store.list(prefix), await store.count(prefix)], [[prefix], 1])
    assertEqual([await store.list('none'), await store.count('none')], [[], 0])
    assertEqual([await store.list(''), await store.count('')], [['', 'A', ...sorted, 'b', 'ä'], sorted.length + 4])
  },
  'store: keys are listed in pages, after any key': async (store) => {
    const keys = Array.from({ length: 10 }, (_, index) => `key ${index}`)
    await Promise.all(['kex', ...keys, 'kez'].map((key) => store.set(key, 'x')))
    assertEqual(await store.list('key', { limit: 4 }), keys.slice(0, 4))
    assertEqual(await store.list('key', { after: 'key 3', limit: 4 }), keys.slice(4, 8))
    assertEqual(await store.list('key', { after: 'key 7', limit: 4 }), keys.slice(8))
    assertEqual(await store.list('key', { after: 'key 31' }), keys.slice(4))
    assertEqual(await store.list('key', { after: 'a' }), keys)
    assertEqual([await store.list('key', { after: 'key 9' }), await store.list('key', { limit: 0 })], [[], []])
  },
  'store: a list has at most 1000 keys by default': async (store) => {
    const keys = Array.from({ length: 1010 }, (_, index) => `key ${index + 1000}`)
    await Promise.all(keys.map((key) => store.set(key, 'x')))
    assertEqual([await store.list('key'), await store.count('key')], [keys.slice(0, 1000), 1010])
    assertEqual((await store.list('key', { limit: 2000 })).length, 1010)
  },
  'store: expired and deleted keys are neither listed nor counted': async (store, advance) => {
    for (const key of ['a 1', 'a 2']) await store.set(key, 'x', { ttlMs: 100 })
    await store.set('a 3', 'x', { ttlMs: HOUR_MS })
    for (const key of ['a 4', 'a 5', 'a 6']) await store.set(key, 'x')
    await store.set('a 2', 'y')
    await store.delete('a 5')
    await store.compareAndSet('a 6', { expected: 'x', value: undefined })
    await advance(150)
    assertEqual([await store.list('a'), await store.count('a')], [['a 2', 'a 3', 'a 4'], 3])
  },
}
