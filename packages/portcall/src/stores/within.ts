import type { Log } from './log.ts'
import { StoreUnavailable } from './unavailable.ts'

/** Waits for an operation of a backend for so long. Rejects with what it rejects with, or with `StoreUnavailable`. */
export function within<T>(ms: number, operation: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new StoreUnavailable(`There was no answer within ${ms} ms`)), ms)
    const settle =
      <V>(end: (value: V) => void) =>
      (value: V): void => {
        clearTimeout(timer)
        end(value)
      }
    operation().then(settle(resolve), settle(reject))
  })
}

/** A log each of whose operations is over after so long. */
export function logWithin(ms: number, log: Log): Log {
  return {
    append: (key, data) => within(ms, () => log.append(key, data)),
    read: (key, after) => within(ms, () => log.read(key, after)),
    delete: (key) => within(ms, () => log.delete(key)),
  }
}
