import type { Bus } from './bus.ts'
import type { Log } from './log.ts'
import type { Store } from './store.ts'

/** The three contracts kept together: what every backend gives. */
export interface Stores {
  readonly store: Store
  readonly log: Log
  readonly bus: Bus
  /**
   * Finishes what is being written, ends all subscriptions and lets go of what the backend has opened. What was passed to it open stays
   * open. Nothing else may be called afterwards but `close` again, which does nothing.
   */
  close(): Promise<void>
}
