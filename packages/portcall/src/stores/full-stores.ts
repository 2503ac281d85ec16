import type { KeyValueStore } from './store.ts'

const full = new WeakSet<KeyValueStore>()

/**
 * Remembers that the database of a store had no space for a write. Small writes may succeed still, where earlier ones have left some space, so
 * health checks must try a larger one.
 */
export const markFull = (store: KeyValueStore): void => void full.add(store)

/** Forgets that the database of a store was full. */
export const unmarkFull = (store: KeyValueStore): void => void full.delete(store)

/** Reports whether the database of a store had no space for a write. */
export const isMarkedFull = (store: KeyValueStore): boolean => full.has(store)
