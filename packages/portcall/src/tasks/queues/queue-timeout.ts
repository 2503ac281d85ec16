import type { BackoffOptions } from '../../../../util/src/backoff.ts'
import { withTimeout } from '../../../../util/src/timers.ts'
import { createUnavailableError } from '../../stores/errors.ts'

/** The delays before a reference is delivered again. */
export const REDELIVERY_BACKOFF: BackoffOptions = { firstMs: 100, maxMs: 15_000, jitter: 0 }

/**
 * Waits for an operation of a queue, `timeoutMs` at most. `name` is the name of the queue in error messages.
 *
 * @throws StoreUnavailableError if the operation fails or times out.
 */
export async function withQueueTimeout<T>(name: string, operation: Promise<T>, timeoutMs: number): Promise<T> {
  try {
    return await withTimeout(operation, timeoutMs, () => new Error(`no response within ${timeoutMs} ms`))
  } catch (error) {
    throw createUnavailableError(name, error)
  }
}
