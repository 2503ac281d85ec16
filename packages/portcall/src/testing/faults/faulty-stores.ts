import { decorateBus, decorateLog, decorateStore, type OperationDecorator } from '../../stores/decorate.ts'
import { StoreUnavailableError } from '../../stores/errors.ts'
import type { Stores } from '../../stores/stores.ts'

/**
 * How an operation fails. `reject`: it rejects without being performed. `hang`: it never settles, and is not performed. `lose`: it is
 * performed and rejects nevertheless, as when the connection is lost before the response.
 */
export type StoreFault = 'reject' | 'hang' | 'lose'

/** Which operations fail, and in which way. */
export interface StoreFaults {
  /** The number of the operation that fails, or a function of its name, such as `log.append`, and its number. Numbers start at 1. */
  readonly at: number | ((operation: string, number: number) => boolean)
  /** How the operations fail. Default: `reject`. */
  readonly mode?: StoreFault
}

/** Stores whose operations fail on demand. */
export interface FaultyStores extends Stores {
  /** The names of all operations so far, in order. */
  readonly operations: readonly string[]
  /** The number of operations that have failed. */
  readonly failures: number
  /** Replaces the faults. Without an argument, no operation fails. */
  setFaults(faults?: StoreFaults): void
}

/** Returns stores whose operations fail as specified. `close` never fails. */
export function faultyStores(stores: Stores, faults?: StoreFaults): FaultyStores {
  let { at, mode = 'reject' }: Partial<StoreFaults> = faults ?? {}
  let failures = 0
  const operations: string[] = []

  const shouldFail = (operation: string): boolean => {
    const number = operations.push(operation)
    return typeof at === 'function' ? at(operation, number) : at === number
  }
  const decorate: OperationDecorator = async (run, operation) => {
    if (!shouldFail(operation)) return run()
    failures++
    if (mode === 'hang') return new Promise<never>(() => {})
    if (mode === 'lose') await run()
    throw new StoreUnavailableError(`${operation} failed, as configured by the test`)
  }

  const { store, log, bus } = stores
  return {
    operations,
    get failures() {
      return failures
    },
    setFaults(next) {
      at = next?.at
      mode = next?.mode ?? 'reject'
    },
    store: decorateStore(store, decorate),
    log: decorateLog(log, decorate),
    bus: decorateBus(bus, decorate),
    close: () => stores.close(),
  }
}
