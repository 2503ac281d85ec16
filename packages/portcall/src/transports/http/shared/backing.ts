import type { Bus } from '../../../stores/bus.ts'
import { type Log, UnknownPosition } from '../../../stores/log.ts'
import type { Store } from '../../../stores/store.ts'
import type { Stores } from '../../../stores/stores.ts'
import { within } from '../../../stores/within.ts'
import { refuse } from '../http-error.ts'

/** The three contracts as requests see them: what fails or takes too long is a 503. */
export interface Backing {
  readonly store: Store
  readonly log: Log
  readonly bus: Bus
}

export interface BackingOptions {
  readonly stores: Omit<Stores, 'close'>
  /** An operation that takes longer has failed. */
  readonly timeoutMs: number
  readonly onError: (error: unknown) => void
}

/**
 * Makes backends safe to wait for: each operation is over after `timeoutMs`, and whatever it rejects with becomes an `HttpError` 503. The
 * first failure in a row is reported.
 */
export function createBacking({ stores, timeoutMs, onError }: BackingOptions): Backing {
  const { store, log, bus } = stores
  let failing = false

  const safe = async <T>(operation: () => Promise<T>): Promise<T> => {
    try {
      const value = await within(timeoutMs, operation)
      failing = false
      return value
    } catch (error) {
      if (error instanceof UnknownPosition) throw error
      if (!failing) onError(error)
      failing = true
      throw refuse(503, 'What this server keeps is out of reach: try again later', { 'retry-after': '1' })
    }
  }
  return {
    store: {
      get: (key) => safe(() => store.get(key)),
      set: (key, value, options) => safe(() => store.set(key, value, options)),
      delete: (key) => safe(() => store.delete(key)),
      swap: (key, change) => safe(() => store.swap(key, change)),
      list: (prefix, options) => safe(() => store.list(prefix, options)),
      count: (prefix) => safe(() => store.count(prefix)),
    },
    log: {
      append: (key, data) => safe(() => log.append(key, data)),
      read: (key, after) => safe(() => log.read(key, after)),
      delete: (key) => safe(() => log.delete(key)),
    },
    bus: {
      publish: (topic, message) => safe(() => bus.publish(topic, message)),
      subscribe: (topic, onMessage) => safe(() => bus.subscribe(topic, onMessage)),
    },
  }
}
