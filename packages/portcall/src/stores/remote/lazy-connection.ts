import { createBackoff } from '../../../../util/src/backoff.ts'
import { withTimeout } from '../../../../util/src/timers.ts'
import { RemoteError } from './remote-error.ts'

export interface LazyConnectionOptions<C> {
  /**
   * Opens a connection. Must call `onLost` when the connection ends by itself. The signal is aborted when nobody waits for the connection any more:
   * then it should stop connecting.
   */
  open(onLost: () => void, signal: AbortSignal): Promise<C>
  /** Closes a connection, even with requests in flight. */
  close(connection: C): void
  /** Time allowed for `open`. */
  timeoutMs: number
  /** Returns why a connection may not have been opened in time, if it is known. */
  explainTimeout?: (() => string | undefined) | undefined
  /** Called when the connection was lost or dropped. */
  onDisconnected?(): void
}

/** One connection, opened on first use and reopened on the next use after it is lost. */
export interface LazyConnection<C> {
  /** The open connection, if there is one. */
  readonly current: C | undefined
  /**
   * Resolves to the open connection, or opens one.
   *
   * @throws RemoteError `unsent` when it cannot be opened, or when the delay since the last failed attempt has not passed yet.
   */
  get(): Promise<C>
  /** Closes the connection. The next `get` opens another one. */
  drop(): void
  /** Closes the connection, and stops opening one. */
  close(): void
}

export function createLazyConnection<C>(options: LazyConnectionOptions<C>): LazyConnection<C> {
  const { open, close, timeoutMs, explainTimeout, onDisconnected } = options
  const toTimeoutError = (): Error => new Error(`${explainTimeout?.() ?? 'no connection'} within ${timeoutMs} ms`)
  const backoff = createBackoff({ firstMs: 25, maxMs: 5000 })
  let current: C | undefined
  let opening: Promise<C> | undefined
  let abandon = new AbortController()
  let retryAt = 0
  let lastError: unknown

  const forget = (connection: C): void => {
    if (current !== connection) return
    current = undefined
    onDisconnected?.()
  }
  const connect = async (): Promise<C> => {
    let isLost = false
    abandon = new AbortController()
    const attempt: Promise<C> = open(() => {
      isLost = true
      void attempt.then(forget, () => {})
    }, abandon.signal)
    try {
      const connection = await withTimeout(attempt, timeoutMs, toTimeoutError)
      if (isLost) throw new Error('the connection was closed immediately')
      backoff.reset()
      current = connection
      return connection
    } catch (error) {
      attempt.then(close, () => {})
      abandon.abort()
      lastError = error
      retryAt = performance.now() + backoff.next()
      throw toOpenError(error)
    } finally {
      opening = undefined
    }
  }

  const drop = (): void => {
    if (current === undefined) return
    const connection = current
    forget(connection)
    close(connection)
  }

  return {
    get current() {
      return current
    },
    async get() {
      if (current !== undefined) return current
      if (opening) return opening
      if (performance.now() < retryAt) throw toOpenError(lastError)
      opening = connect()
      return opening
    },
    drop,
    close() {
      drop()
      abandon.abort()
    },
  }
}

/** Nothing was sent on a connection that cannot be opened. An error that says that it can never be opened stays as it is. */
function toOpenError(error: unknown): RemoteError {
  return error instanceof RemoteError && error.outcome === 'rejected' ? error : new RemoteError('unsent', error)
}
