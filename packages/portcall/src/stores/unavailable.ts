/**
 * What a store, log or bus rests on is away: a server that cannot be reached, a disk that is full, a file that is locked.
 *
 * Backends reject with it instead of waiting, and work again by themselves when it is back. Whether a write that failed so has
 * been done is not known. The message says what to look at.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly code = 'STORE_UNAVAILABLE'
  readonly retryable = true
}
