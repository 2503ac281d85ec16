import { createBackoff } from '../../../../util/src/backoff.ts'
import { interruptibleDelay } from '../../../../util/src/timers.ts'
import { createLazyConnection, type LazyConnection, type LazyConnectionOptions } from './lazy-connection.ts'

export interface PersistentConnectionOptions<C> extends LazyConnectionOptions<C> {
  /** Reports whether the connection is needed now. */
  isNeeded(): boolean
}

/** A connection that reconnects by itself after it is lost, while it is needed, until it is closed. */
export type PersistentConnection<C> = LazyConnection<C>

export function createPersistentConnection<C>(options: PersistentConnectionOptions<C>): PersistentConnection<C> {
  const closed = new AbortController()
  let isReconnecting = false

  const reconnect = async (): Promise<void> => {
    isReconnecting = true
    const backoff = createBackoff({ firstMs: 100, maxMs: 5000 })
    while (!closed.signal.aborted && !connection.current && options.isNeeded()) {
      await interruptibleDelay(backoff.next(), closed.signal)
      if (!closed.signal.aborted) await connection.get().catch(() => {})
    }
    isReconnecting = false
  }
  const connection = createLazyConnection<C>({
    ...options,
    onDisconnected() {
      options.onDisconnected?.()
      if (!isReconnecting) void reconnect()
    },
  })

  return {
    get current() {
      return connection.current
    },
    get: connection.get,
    drop: connection.drop,
    close() {
      closed.abort()
      connection.close()
    },
  }
}
