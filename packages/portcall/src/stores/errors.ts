import { PortcallError } from '../../../util/src/errors.ts'

/**
 * The backend of a store, log or bus is unavailable: the database server is unreachable, the disk is full, the file is locked. The message
 * says what to check.
 *
 * Backends reject with this error instead of waiting, and recover by themselves. Whether a write that failed with it was applied is unknown.
 */
export class StoreUnavailableError extends PortcallError {
  override readonly name = 'StoreUnavailableError'
  readonly code = 'STORE_UNAVAILABLE'
  /** The same operation may succeed later. */
  readonly retryable = true
}

/** Creates the error for an operation of a backend that failed. `backend` is its name in the message, such as `Redis`. */
export function createUnavailableError(backend: string, cause: unknown): StoreUnavailableError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StoreUnavailableError(`${backend} failed: ${reason}`, { cause })
}

/**
 * A store refuses a new entry, because it is full and evicts nothing. Entries that were stored before stay.
 */
export class StoreFullError extends PortcallError {
  override readonly name = 'StoreFullError'
  readonly code = 'STORE_FULL'
  /** The same operation may succeed when entries have expired. */
  readonly retryable = true
}
