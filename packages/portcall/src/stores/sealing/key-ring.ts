import { sharedStores } from '../shared-stores.ts'
import type { KeyValueStore } from '../store.ts'
import { generateKey, type SealerOptions } from './seal.ts'

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

/** Returns the `keys` of a sealer: those of the user, or in a worker a random key that all workers of the server share. */
export function sealerKeys(keys: readonly string[] | undefined): Pick<SealerOptions, 'keys'> {
  if (keys) return { keys: [...keys] }
  const shared = sharedStores()?.store
  return shared ? { keys: createStoredKeyRing(shared) } : {}
}
