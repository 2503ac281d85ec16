import type { Log } from '../log.ts'
import type { Store } from '../store.ts'
import type { Stores } from '../stores.ts'
import type { RemoteBus } from './bus.ts'

/** What knows when all that it was given is done. */
interface Busy {
  idle(): Promise<void>
}

export interface RemoteStores {
  readonly store: Store & Busy
  readonly log: Log & Busy
  readonly bus: RemoteBus
  /** Lets go of the server. */
  leave(): void
}

/** Joins the three contracts on one server: closing waits for what was begun. */
export function joinStores({ store, log, bus, leave }: RemoteStores): Stores {
  return {
    store,
    log,
    bus,
    async close() {
      await Promise.allSettled([store.idle(), log.idle(), bus.idle()])
      bus.close()
      leave()
    },
  }
}
