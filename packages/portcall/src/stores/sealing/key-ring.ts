import type { KeyValueStore } from '../store.ts'
import { generateKey } from './seal.ts'

const KEY = 'seal/ring'

/** Creates a loader of a random sealing key that all processes on a store share. The first process that needs the key creates it. */
export function createStoredKeyRing(store: KeyValueStore): () => Promise<readonly string[]> {
  return async () => {
    const stored = await store.get(KEY)
    if (stored !== undefined) return [stored]
    const created = generateKey()
    if (await store.compareAndSet(KEY, { expected: undefined, value: created })) return [created]
    return [(await store.get(KEY)) ?? created]
  }
}
