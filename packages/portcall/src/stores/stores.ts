import type { Bus } from './bus.ts'
import type { EventLog } from './log.ts'
import type { KeyValueStore } from './store.ts'

/** A storage backend: the three interfaces behind which Portcall stores its state. */
export interface Stores {
  /** Values by key, with expiry and compare-and-set. */
  readonly store: KeyValueStore
  /** Append-only logs, from which streams are resumed. */
  readonly log: EventLog
  /** Messages between the processes of one service. */
  readonly bus: Bus
  /**
   * Completes pending writes, removes all subscriptions and releases what the backend has opened. Connections and databases that were passed
   * in stay open. Afterwards, only `close` may be called again; it does nothing.
   */
  close(): Promise<void>
}
