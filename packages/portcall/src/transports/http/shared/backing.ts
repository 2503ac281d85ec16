import { aroundBus, aroundLog, aroundStore } from '../../../stores/around.ts'
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
      const value = await within(operation(), timeoutMs)
      failing = false
      return value
    } catch (error) {
      if (error instanceof UnknownPosition) throw error
      if (!failing) onError(error)
      failing = true
      throw refuse(503, 'What this server keeps is out of reach: try again later', { 'retry-after': '1' })
    }
  }
  return { store: aroundStore(store, safe), log: aroundLog(log, safe), bus: aroundBus(bus, safe) }
}
