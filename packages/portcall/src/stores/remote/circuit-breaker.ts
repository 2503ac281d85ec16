/*
 * A circuit breaker for a database server. The first operation that times out opens it. While it is open, all operations fail immediately;
 * a probe is sent repeatedly, and the first response to it closes the breaker.
 */

import { backoffMs, createBackoff } from '../../../../util/src/backoff.ts'
import { delay, interruptibleDelay, withTimeout } from '../../../../util/src/timers.ts'
import { createUnavailableError, StoreUnavailableError } from '../errors.ts'
import { RemoteError } from './remote-error.ts'

export interface CircuitBreakerOptions {
  /** The name of the server in error messages. */
  name: string
  /** Time allowed for an operation, including retries. */
  timeoutMs: number
  /** Requests any response from the server. */
  probe: Operation<unknown>
  /** Returns why an operation may have timed out, if it is known. */
  explainTimeout?(): string | undefined
  /** Called when an operation has timed out: the connection may be broken. */
  onTimeout?(): void
  /** Called when an operation reached a server that cannot be written to, at most once a second. */
  onStale?(): void
  /** Called when the server responds again. */
  onRecovered?(): void
}

/** An operation on the server. `isAbandoned` reports whether it has timed out, in which case it need not be sent any more. */
export type Operation<T> = (isAbandoned: () => boolean) => Promise<T>

export interface CircuitBreaker {
  /**
   * Runs an operation, and retries it within `timeoutMs` if it failed unsent, or if its outcome is unknown and it is repeatable.
   *
   * @throws StoreUnavailableError when it fails with a `RemoteError`; any other error unchanged.
   */
  run<T>(operation: Operation<T>, isRepeatable: boolean): Promise<T>
  /** Stops probing. Operations fail from now on. */
  close(): void
}

interface FailedAttempt {
  readonly error: RemoteError
  readonly isRepeatable: boolean
  readonly remainingMs: number
  readonly elapsedMs: number
}

const RETRY_BACKOFF = { firstMs: 25, maxMs: 5000 }
/** How long a server is looked for that can be written to. Meanwhile, other operations go on. */
const STALE_RETRY_MS = 1000
const PROBE_BACKOFF = { firstMs: 100, maxMs: 5000 }

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { name, timeoutMs, probe, explainTimeout, onTimeout, onStale, onRecovered } = options
  const closed = new AbortController()
  /** Set while the breaker is open. */
  let openError: StoreUnavailableError | undefined
  let staleReportedAt = -Infinity

  /** `last` is why the attempt before this one failed, if there was one: the next one may end before it fails as well. */
  const runWithTimeout = <T>(operation: Operation<T>, ms: number, last?: RemoteError): Promise<T> => {
    let isAbandoned = false
    const toError = (): RemoteError => {
      isAbandoned = true
      const reason = explainTimeout?.()
      onTimeout?.()
      if (last && reason === undefined)
        return new RemoteError('unknown', new Error(`${last.message} (tried for ${timeoutMs} ms)`, { cause: last.cause }))
      return new RemoteError('unknown', new Error(`${reason ?? 'no response'} within ${timeoutMs} ms`))
    }
    return withTimeout(
      operation(() => isAbandoned),
      ms,
      toError,
    )
  }
  const probeUntilRecovered = async (): Promise<void> => {
    for (let failures = 0; openError && !closed.signal.aborted; failures++) {
      await interruptibleDelay(backoffMs(failures, PROBE_BACKOFF), closed.signal)
      const hasResponded = await runWithTimeout(probe, timeoutMs).then(
        () => true,
        () => false,
      )
      if (!hasResponded) continue
      openError = undefined
      onRecovered?.()
    }
  }
  const open = (cause: unknown): StoreUnavailableError => {
    if (openError) return openError
    openError = createUnavailableError(name, cause)
    void probeUntilRecovered()
    return openError
  }

  const reportStale = (): void => {
    if (performance.now() - staleReportedAt < STALE_RETRY_MS) return
    staleReportedAt = performance.now()
    onStale?.()
  }
  /** Returns the error for the caller, or `undefined` if the operation is to be retried. */
  const toFinalError = ({ error, isRepeatable, remainingMs, elapsedMs }: FailedAttempt): StoreUnavailableError | undefined => {
    if (error.outcome === 'rejected') return createUnavailableError(name, error)
    if (error.outcome === 'stale') {
      reportStale()
      return elapsedMs > STALE_RETRY_MS || remainingMs <= 0 ? createUnavailableError(name, error) : undefined
    }
    if (remainingMs <= 0 || openError || closed.signal.aborted) return open(error)
    return error.outcome === 'unknown' && !isRepeatable ? createUnavailableError(name, error) : undefined
  }
  const runWithRetries = async <T>(operation: Operation<T>, isRepeatable: boolean): Promise<T> => {
    const startedAt = performance.now()
    const deadline = startedAt + timeoutMs
    const backoff = createBackoff(RETRY_BACKOFF)
    let last: RemoteError | undefined
    for (;;) {
      const attempt = runWithTimeout(operation, Math.max(deadline - performance.now(), 1), last)
      const result = await attempt.then((value) => ({ value }), returnRemoteError)
      if (!(result instanceof RemoteError)) return result.value
      const remainingMs = deadline - performance.now()
      const error = toFinalError({ error: result, isRepeatable, remainingMs, elapsedMs: performance.now() - startedAt })
      if (error) throw error
      last = result
      await delay(Math.min(backoff.next(), remainingMs))
    }
  }

  return {
    async run(operation, isRepeatable) {
      if (closed.signal.aborted) throw new StoreUnavailableError(`${name} cannot be used: the stores are closed`)
      if (openError) throw openError
      return runWithRetries(operation, isRepeatable)
    },
    close: () => closed.abort(),
  }
}

function returnRemoteError(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error
  throw error
}
