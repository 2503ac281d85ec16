import { RemoteError } from '../remote/remote-error.ts'
import { maxConnections } from './client-options.ts'
import type { PgConnection, PgPool, PostgresDriver } from './driver.ts'
import { isPermanentConnectError, toRemoteError } from './error-codes.ts'

const ignore = (): void => {}

/** Pools that have the listener of `ignoreErrors`. */
const handled = new WeakSet<PgPool>()

/**
 * Adds a listener without which a lost connection would end the process. The query that uses the connection fails anyway. The listener stays
 * when the stores are closed, because the pool is closed after them.
 */
function ignoreErrors(pool: PgPool): void {
  if (!handled.has(pool)) pool.on('error', ignore)
  handled.add(pool)
}

/** Creates a driver for a `Pool` of `pg`. */
export function createPgDriver(pool: PgPool): PostgresDriver {
  const busyConnections = new Set<PgConnection>()
  const knownConnections = new WeakSet<PgConnection>()
  /** When connections were opened, unless that was before this driver was created. */
  const openedAt = new WeakMap<PgConnection, number>()
  /** Connections that were opened before reach a server that cannot be written to. */
  let staleBefore = -Infinity
  const onConnect = (connection: PgConnection): void => void openedAt.set(connection, performance.now())
  ignoreErrors(pool)
  pool.on('connect', onConnect)

  const isStale = (connection: PgConnection): boolean => (openedAt.get(connection) ?? 0) < staleBefore
  const release = (connection: PgConnection, destroy: boolean): void => {
    if (busyConnections.delete(connection)) connection.release(destroy || isStale(connection))
  }
  const checkOut = async (): Promise<PgConnection> => {
    const connection = await pool.connect().catch((error: unknown) => {
      throw new RemoteError(isPermanentConnectError(error) ? 'rejected' : 'unsent', error)
    })
    if (!knownConnections.has(connection)) connection.on('error', ignore)
    knownConnections.add(connection)
    return connection
  }
  /** Takes a connection, and closes the stale ones that the pool still has. */
  const connect = async (): Promise<PgConnection> => {
    for (;;) {
      const connection = await checkOut()
      if (!isStale(connection)) return connection
      connection.release(true)
    }
  }

  return {
    async query(statement, isAbandoned) {
      const connection = await connect()
      busyConnections.add(connection)
      if (isAbandoned()) {
        release(connection, false)
        throw new RemoteError('unsent', 'the operation has timed out')
      }
      const startedAt = performance.now()
      try {
        const { rows } = await connection.query(statement)
        release(connection, false)
        return rows[0]?.['answer']
      } catch (error) {
        const remoteError = toRemoteError(error)
        if (remoteError.outcome === 'stale') staleBefore = Math.max(staleBefore, startedAt)
        release(connection, remoteError.outcome === 'unknown' || remoteError.outcome === 'stale')
        throw remoteError
      }
    },
    destroyBusyConnections() {
      for (const connection of busyConnections) release(connection, true)
    },
    explainTimeout() {
      const max = maxConnections(pool)
      const isExhausted = (pool.waitingCount ?? 0) > 0 && pool.totalCount >= max
      return isExhausted ? `no free connection in the pool (max ${max})` : undefined
    },
    async listen(channel, { onLost, onMessage }) {
      const connection = await connect()
      let isOpen = true
      const close = (): void => {
        if (isOpen) connection.release(true)
        isOpen = false
      }
      const lose = (): void => {
        close()
        onLost()
      }
      connection.on('error', lose)
      connection.on('end', lose)
      connection.on('notification', (notification) => void (isOpen && onMessage(notification?.payload ?? '')))
      try {
        // A setting of PostgreSQL 14 that would end a connection on which nothing but notifications arrive.
        await connection.query({ text: 'set idle_session_timeout = 0' }).catch(ignore)
        await connection.query({ text: `listen "${channel}"` })
      } catch (error) {
        close()
        throw toRemoteError(error)
      }
      return { close, ping: async () => void (await connection.query({ text: 'select 1' })) }
    },
    close() {
      pool.off('connect', onConnect as () => void)
    },
  }
}
