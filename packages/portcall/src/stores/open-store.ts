import { decorateStore, timeoutDecorator } from './decorate.ts'
import { createMemoryStore, type MemoryKeyValueStoreOptions } from './memory/store.ts'
import { sharedStores } from './shared-stores.ts'
import type { KeyValueStore } from './store.ts'

/** Returns the user's store with a timeout for each operation, or the default store if there is none. */
export function openStore(store: KeyValueStore | undefined, timeoutMs: number): KeyValueStore {
  const opened = store ?? sharedStores()?.store
  return opened ? decorateStore(opened, timeoutDecorator(timeoutMs)) : createMemoryStore()
}

/** Returns the store to use without an option: in a worker the one that all workers of the server share, otherwise a new one in memory. */
export function createDefaultStore(memory?: MemoryKeyValueStoreOptions): KeyValueStore {
  return sharedStores()?.store ?? createMemoryStore(memory)
}
