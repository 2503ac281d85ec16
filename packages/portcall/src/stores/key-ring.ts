import { generateKey } from './seal.ts'
import type { Store } from './store.ts'

const KEY = 'seal/ring'

/** Makes a ring of one random key that rests in a store: whoever needs it first makes it, all others read it. */
export function createKeyRing(store: Store): () => Promise<readonly string[]> {
  return async () => {
    const found = await store.get(KEY)
    if (found !== undefined) return [found]
    const made = generateKey()
    if (await store.swap(KEY, { expected: undefined, value: made })) return [made]
    return [(await store.get(KEY)) ?? made]
  }
}
