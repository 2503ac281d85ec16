/** Values that change, in the form in which frameworks read them. */

/** A value, and those who are told when it changes. */
export interface ReadableStore<T> {
  /** Calls the listener after each change. Returns a function that removes it. */
  readonly subscribe: (listener: () => void) => () => void
  /** Returns the value. */
  readonly read: () => T
}

/** A store that its owner changes. */
export interface WritableStore<T> extends ReadableStore<T> {
  readonly write: (value: T) => void
}

/** Creates a store. */
export function createStore<T>(first: T): WritableStore<T> {
  const listeners = new Set<() => void>()
  let current = first
  return {
    read: () => current,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    write(value) {
      current = value
      for (const listener of [...listeners]) listener()
    },
  }
}
