import type { EventLog } from '../log.ts'
import type { KeyValueStore } from '../store.ts'
import type { Stores } from '../stores.ts'
import type { Idle } from './batcher.ts'
import type { RemoteBus } from './bus.ts'

export interface RemoteStoresParts {
  readonly store: KeyValueStore & Idle
  readonly log: EventLog & Idle
  readonly bus: RemoteBus
  /** Closes the connections that the stores have opened. */
  disconnect(): void
}

/** Combines a store, a log and a bus on one server. `close` waits for pending operations. */
export function combineStores({ store, log, bus, disconnect }: RemoteStoresParts): Stores {
  return {
    store,
    log,
    bus,
    async close() {
      await Promise.allSettled([store.idle(), log.idle(), bus.idle()])
      bus.close()
      disconnect()
    },
  }
}
