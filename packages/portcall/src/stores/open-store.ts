import { aroundStore } from './around.ts'
import { createMemoryStore } from './memory-store.ts'
import type { Store } from './store.ts'
import { timely } from './within.ts'

/** A store of a user's, which nobody waits for longer than so many milliseconds; the memory of this process where there is none. */
export function openStore(given: Store | undefined, timeoutMs: number): Store {
  return given ? aroundStore(given, timely(timeoutMs)) : createMemoryStore()
}
