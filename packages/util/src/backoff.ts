export interface BackoffOptions {
  /** Upper bound of the first delay. It doubles with every further attempt. */
  readonly firstMs: number
  /** Upper bound of all delays. */
  readonly maxMs: number
  /** Random part of a delay, from 0 to 1, so that clients do not retry at the same time. Default: 0.5. */
  readonly jitter?: number
}

/** The delays of one series of attempts. */
export interface Backoff {
  /** Returns the delay before the next attempt, in milliseconds. */
  next(): number
  /** Starts over with `firstMs`, after a success. */
  reset(): void
}

const MAX_DOUBLINGS = 30

export function createBackoff(options: BackoffOptions): Backoff {
  let failures = 0
  return {
    next: () => backoffMs(failures++, options),
    reset() {
      failures = 0
    },
  }
}

/** Returns the delay after `failures` earlier attempts: exponential up to `maxMs`, and at most `jitter` of it less. */
export function backoffMs(failures: number, { firstMs, maxMs, jitter = 0.5 }: BackoffOptions): number {
  const ms = Math.min(maxMs, firstMs * 2 ** Math.min(failures, MAX_DOUBLINGS))
  return ms * (1 - jitter * Math.random())
}
