import { decorateStore, timeoutDecorator } from './decorate.ts'
import { createMemoryStore } from './memory/store.ts'
import type { KeyValueStore } from './store.ts'

/** Returns the user's store with a timeout for each operation, or a new store in memory if there is none. */
export function openStore(store: KeyValueStore | undefined, timeoutMs: number): KeyValueStore {
  return store ? decorateStore(store, timeoutDecorator(timeoutMs)) : createMemoryStore()
}
