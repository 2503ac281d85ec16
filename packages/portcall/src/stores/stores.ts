import type { Bus } from './bus.ts'
import type { EventLog } from './log.ts'
import type { KeyValueStore } from './store.ts'

/** A storage backend: the three interfaces behind which Portcall stores its state. */
export interface Stores {
  readonly store: KeyValueStore
  readonly log: EventLog
  readonly bus: Bus
  /**
   * Completes pending writes, removes all subscriptions and releases what the backend has opened. Connections and databases that were passed
   * in stay open. Afterwards, only `close` may be called again; it does nothing.
   */
  close(): Promise<void>
}
