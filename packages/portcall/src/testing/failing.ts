import { type Around, aroundBus, aroundLog, aroundStore } from '../stores/around.ts'
import type { Stores } from '../stores/stores.ts'
import { StoreUnavailable } from '../stores/unavailable.ts'

/**
 * What goes wrong with one operation: it is not done and rejects, it is not done and never answers, or it is done and rejects all the same,
 * as when a connection is lost before the answer.
 */
export type StoreFault = 'reject' | 'hang' | 'lose'

/** Which operations fail, and how. */
export interface StoreFaults {
  /** Decides for each operation, named like `log.append`, and numbered from 1 among all. A number stands for the one with that number. */
  readonly at: number | ((operation: string, number: number) => boolean)
  /** Default: `reject`. */
  readonly how?: StoreFault
}

/** Stores of which some operations fail. */
export interface FailingStores extends Stores {
  /** The operations so far, in order. */
  readonly operations: readonly string[]
  /** How many of them have failed. */
  readonly failures: number
  /** Lets other operations fail from now on; without faults, none. */
  set(faults?: StoreFaults): void
}

/** Makes stores of which the n-th operation fails, or those that are named. `close` never fails. */
export function failing(stores: Stores, faults?: StoreFaults): FailingStores {
  let { at, how = 'reject' }: Partial<StoreFaults> = faults ?? {}
  let failures = 0
  const operations: string[] = []

  const isDue = (operation: string): boolean => {
    const number = operations.push(operation)
    return typeof at === 'function' ? at(operation, number) : at === number
  }
  const around: Around = async (run, operation) => {
    if (!isDue(operation)) return run()
    failures++
    if (how === 'hang') return new Promise<never>(() => {})
    if (how === 'lose') await run()
    throw new StoreUnavailable(`${operation} fails, as the test wants it`)
  }

  const { store, log, bus } = stores
  return {
    operations,
    get failures() {
      return failures
    },
    set(next) {
      at = next?.at
      how = next?.how ?? 'reject'
    },
    store: aroundStore(store, around),
    log: aroundLog(log, around),
    bus: aroundBus(bus, around),
    close: () => stores.close(),
  }
}
