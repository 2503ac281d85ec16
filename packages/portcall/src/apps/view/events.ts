/** Events that are kept for those who listen later. */

/** The last value of an event, and its listeners. */
export interface Kept<T> {
  /** The first value. */
  readonly first: Promise<T>
  emit(value: T): void
  /** Calls the listener for each value, and soon for the last one if there was one. Returns a function that removes it. */
  on(listener: (value: T) => void): () => void
  /** Makes `first` fail if there was no value yet. */
  fail(error: unknown): void
}

/** Creates an event. Errors of listeners are reported as uncaught, and other listeners still run. */
export function createEvent<T>(): Kept<T> {
  const listeners = new Set<(value: T) => void>()
  const { promise, resolve, reject } = withResolvers<T>()
  // Views that never await the value have no unhandled rejection.
  promise.catch(() => {})
  let last: { readonly value: T } | undefined
  const call = (listener: (value: T) => void, value: T) =>
    queueMicrotask(() => {
      if (listeners.has(listener)) listener(value)
    })
  return {
    first: promise,
    emit(value) {
      last = { value }
      resolve(value)
      for (const listener of listeners) call(listener, value)
    },
    on(listener) {
      listeners.add(listener)
      if (last) call(listener, last.value)
      return () => listeners.delete(listener)
    },
    fail: reject,
  }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((...both) => {
    ;[resolve, reject] = both
  })
  return { promise, resolve, reject }
}
