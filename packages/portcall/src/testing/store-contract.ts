import type { Store } from '../stores/store.ts'
import { type Case, equal, run, STRANGE, type Suite } from './contract.ts'
import { storeWalk } from './store-walk.ts'

/** Tests of `Store`. */
export function storeContract(suite: Suite<Store>): void {
  run(suite, undefined, { ...storeValues, ...storeExpiry, ...storeSwap, ...storeListing, ...storeWalk })
}

const storeValues: Record<string, Case<Store>> = {
  'store: an absent key reads as nothing': async (store) => {
    equal(await store.get('absent'), undefined)
    await store.delete('absent')
  },
  'store: what was set is read, replaced and deleted': async (store) => {
    await store.set('key', 'one')
    await store.set('key', 'two')
    equal(await store.get('key'), 'two')
    await store.delete('key')
    equal(await store.get('key'), undefined)
  },
  'store: any string is a key and a value': async (store) => {
    for (const text of STRANGE) equal(await store.get(text), undefined)
    for (const text of STRANGE) await store.set(text, `value of ${text}`)
    for (const text of STRANGE) equal(await store.get(text), `value of ${text}`)
    await store.set('empty', '')
    equal(await store.get('empty'), '')
  },
}

/** What must not expire before it is looked at, however slow a backend is. */
const HOUR_MS = 3_600_000

const storeExpiry: Record<string, Case<Store>> = {
  'store: an expired key reads as nothing': async (store, advance) => {
    await store.set('short', 'x', { ttlMs: 100 })
    await store.set('long', 'x', { ttlMs: HOUR_MS })
    await advance(150)
    equal([await store.get('short'), await store.get('long')], [undefined, 'x'])
  },
  'store: setting again sets the expiry anew': async (store, advance) => {
    await store.set('key', 'x', { ttlMs: 100 })
    await store.set('key', 'y')
    await advance(150)
    equal(await store.get('key'), 'y')
  },
  'store: an expired key counts as absent for swap': async (store, advance) => {
    await store.set('key', 'x', { ttlMs: 100 })
    await advance(150)
    equal(await store.swap('key', { expected: 'x', value: 'y' }), false)
    equal(await store.swap('key', { expected: undefined, value: 'z', ttlMs: HOUR_MS }), true)
    equal(await store.get('key'), 'z')
    equal(await store.swap('key', { expected: 'z', value: 'short', ttlMs: 100 }), true)
    await advance(150)
    equal(await store.get('key'), undefined)
  },
}

const storeSwap: Record<string, Case<Store>> = {
  'store: swap writes only what was expected': async (store) => {
    equal(await store.swap('key', { expected: 'x', value: 'y' }), false)
    equal(await store.swap('key', { expected: undefined, value: 'x' }), true)
    equal(await store.swap('key', { expected: undefined, value: 'y' }), false)
    equal(await store.swap('key', { expected: 'x', value: 'y' }), true)
    equal(await store.get('key'), 'y')
  },
  'store: swap deletes': async (store) => {
    await store.set('key', 'x')
    equal(await store.swap('key', { expected: 'y', value: undefined }), false)
    equal(await store.swap('key', { expected: 'x', value: undefined }), true)
    equal(await store.get('key'), undefined)
    equal(await store.swap('key', { expected: undefined, value: undefined }), true)
  },
  'store: of many swaps with one expectation exactly one wins': async (store) => {
    await store.set('key', 'start')
    const won = await Promise.all(
      Array.from({ length: 20 }, (_, at) => store.swap('key', { expected: 'start', value: `winner ${at}` })),
    )
    equal(won.filter(Boolean).length, 1)
    equal(await store.get('key'), `winner ${won.indexOf(true)}`)
  },
  'store: of many who take a value exactly one gets it': async (store) => {
    for (let round = 0; round < 10; round++) {
      await store.set('key', `value ${round}`)
      const take = (): Promise<boolean> => store.swap('key', { expected: `value ${round}`, value: undefined })
      equal((await Promise.all([take(), take(), take(), take()])).filter(Boolean).length, 1)
      equal(await store.get('key'), undefined)
    }
  },
  'store: many keys are swapped at once without disturbing each other': async (store) => {
    const keys = Array.from({ length: 50 }, (_, at) => `key ${at}`)
    const first = await Promise.all(keys.map((key) => store.swap(key, { expected: undefined, value: key })))
    const second = await Promise.all(keys.map((key, at) => store.swap(keys[at ^ 1] ?? key, { expected: key, value: 'wrong' })))
    equal([first.every(Boolean), second.some(Boolean)], [true, false])
    equal(await Promise.all(keys.map((key) => store.get(key))), keys)
  },
  'store: counting by swap loses nothing': async (store) => {
    const increment = async (): Promise<void> => {
      const before = await store.get('count')
      if (!(await store.swap('count', { expected: before, value: String(Number(before ?? 0) + 1) }))) await increment()
    }
    await Promise.all(Array.from({ length: 10 }, increment))
    equal(await store.get('count'), '10')
  },
}

const storeListing: Record<string, Case<Store>> = {
  'store: keys are listed and counted by prefix, in the order of their bytes': async (store) => {
    const sorted = ['a', 'a ', 'a%', 'a*', 'aB', 'a_', 'ab', 'aä', 'a\uffff', 'a\u{1f600}']
    for (const key of [...sorted].reverse()) await store.set(key, 'x')
    for (const key of ['b', 'A', '', 'ä']) await store.set(key, 'x')
    equal([await store.list('a'), await store.count('a')], [sorted, sorted.length])
    for (const prefix of ['a%', 'a*', 'a_', 'aä', 'a\u{1f600}'])
      equal([await store.list(prefix), await store.count(prefix)], [[prefix], 1])
    equal([await store.list('none'), await store.count('none')], [[], 0])
    equal([await store.list(''), await store.count('')], [['', 'A', ...sorted, 'b', 'ä'], sorted.length + 4])
  },
  'store: a listing is given in parts, behind any key': async (store) => {
    const keys = Array.from({ length: 10 }, (_, at) => `key ${at}`)
    await Promise.all(['kex', ...keys, 'kez'].map((key) => store.set(key, 'x')))
    equal(await store.list('key', { limit: 4 }), keys.slice(0, 4))
    equal(await store.list('key', { after: 'key 3', limit: 4 }), keys.slice(4, 8))
    equal(await store.list('key', { after: 'key 7', limit: 4 }), keys.slice(8))
    equal(await store.list('key', { after: 'key 31' }), keys.slice(4))
    equal(await store.list('key', { after: 'a' }), keys)
    equal([await store.list('key', { after: 'key 9' }), await store.list('key', { limit: 0 })], [[], []])
  },
  'store: a listing has at most a thousand keys, if nothing else is said': async (store) => {
    const keys = Array.from({ length: 1010 }, (_, at) => `key ${at + 1000}`)
    await Promise.all(keys.map((key) => store.set(key, 'x')))
    equal([await store.list('key'), await store.count('key')], [keys.slice(0, 1000), 1010])
    equal((await store.list('key', { limit: 2000 })).length, 1010)
  },
  'store: what has expired or was deleted is neither listed nor counted': async (store, advance) => {
    for (const key of ['a 1', 'a 2']) await store.set(key, 'x', { ttlMs: 100 })
    await store.set('a 3', 'x', { ttlMs: HOUR_MS })
    for (const key of ['a 4', 'a 5', 'a 6']) await store.set(key, 'x')
    await store.set('a 2', 'y')
    await store.delete('a 5')
    await store.swap('a 6', { expected: 'x', value: undefined })
    await advance(150)
    equal([await store.list('a'), await store.count('a')], [['a 2', 'a 3', 'a 4'], 3])
  },
}
