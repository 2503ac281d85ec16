/*
 * The parts of the two PostgreSQL drivers that Portcall uses: single statements with text parameters and text results, and one connection
 * that listens for notifications.
 */

import { describeClient } from '../check-stores-options.ts'
import { RemoteError } from '../remote/remote-error.ts'

/** A statement. With values it has a name, under which a connection prepares it once. */
export interface Statement {
  text: string
  name?: string
  values?: string[]
}

/** The parts of a connection of `pg` that are used. */
export interface PgConnection {
  /** Runs a statement and resolves to its rows. */
  query(statement: Statement): Promise<{
    /** The rows: objects with a member per column. */
    rows: Record<string, unknown>[]
  }>
  /** Listens to notifications and to the end of the connection. */
  on(event: string, listener: (notification?: { payload?: string | undefined }) => void): unknown
  /** Returns the connection to the pool, or closes it. */
  release(destroy?: boolean): void
}

/** The parts of a `Pool` of `pg` that are used. */
export interface PgPool {
  /** The number of open connections. */
  readonly totalCount: number
  /** Resolves to a connection, which must be released. */
  connect(): Promise<PgConnection>
  /** Listens to errors of idle connections. */
  on(event: 'error', listener: () => void): unknown
  /** Removes a listener. */
  off(event: 'error', listener: () => void): unknown
}

/** The parts of a client of the package `postgres` that are used. */
export interface PostgresClient {
  /** Runs a statement with its values and resolves to its rows. */
  unsafe(text: string, values?: string[], options?: { prepare: boolean }): PromiseLike<ArrayLike<Record<string, unknown>>>
  /** Subscribes to a channel. Resolves to an object whose `unlisten` ends the subscription. */
  readonly listen: {
    (
      channel: string,
      onMessage: (payload: string) => void,
    ): Promise<{
      /** Ends the subscription. */
      unlisten(): Promise<void>
    }>
    /** The subscribed channels, by name. */
    readonly channels?: object
  }
}

/** A `Pool` of `pg` or a client of the package `postgres`, for PostgreSQL 12 or newer. Portcall uses it and never ends it. */
export type PostgresSource = PgPool | PostgresClient

/** A driver, in the same form for both packages. */
export interface PostgresDriver {
  /**
   * Runs one statement. Resolves to the column `answer` of its first row.
   *
   * @throws RemoteError
   */
  query(statement: Statement, isAbandoned: () => boolean): Promise<unknown>
  /** Destroys the connections with queries in flight, which may be broken. */
  destroyBusyConnections(): void
  /** Opens a connection that receives the notifications of a channel. */
  listen(channel: string, events: ListenEvents): Promise<PostgresListener>
  close(): void
}

export interface ListenEvents {
  onLost(): void
  onMessage(payload: string): void
}

export interface PostgresListener {
  close(): void
}

export function createPostgresDriver(source: PostgresSource): PostgresDriver {
  const { unsafe, connect } = (source ?? {}) as { readonly unsafe?: unknown; readonly connect?: unknown }
  if (typeof unsafe !== 'function' && typeof connect !== 'function')
    throw new TypeError(
      `postgresStores() needs a Pool of pg or a client of the package postgres, not ${describeClient(source)}. Pass new Pool({ connectionString })`,
    )
  return 'unsafe' in source ? createPostgresJsDriver(source) : createPgDriver(source)
}

function createPgDriver(pool: PgPool): PostgresDriver {
  const busyConnections = new Set<PgConnection>()
  const knownConnections = new WeakSet<PgConnection>()
  // Without a listener, a connection error would end the process. The query that uses the connection fails anyway.
  const ignore = (): void => {}
  pool.on('error', ignore)

  const release = (connection: PgConnection, destroy: boolean): void => {
    if (busyConnections.delete(connection)) connection.release(destroy)
  }
  const connect = async (): Promise<PgConnection> => {
    const connection = await pool.connect().catch((error: unknown) => {
      throw new RemoteError(isPermanentConnectError(error) ? 'rejected' : 'unsent', error)
    })
    if (!knownConnections.has(connection)) connection.on('error', ignore)
    knownConnections.add(connection)
    return connection
  }

  return {
    async query(statement, isAbandoned) {
      const connection = await connect()
      busyConnections.add(connection)
      if (isAbandoned()) {
        release(connection, false)
        throw new RemoteError('unsent', 'the operation has timed out')
      }
      try {
        const { rows } = await connection.query(statement)
        release(connection, false)
        return rows[0]?.['answer']
      } catch (error) {
        const remoteError = toRemoteError(error)
        release(connection, remoteError.outcome === 'unknown')
        throw remoteError
      }
    },
    destroyBusyConnections() {
      for (const connection of busyConnections) release(connection, true)
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
      await connection.query({ text: `listen "${channel}"` }).catch((error: unknown) => {
        close()
        throw error
      })
      return { close }
    },
    close: () => void pool.off('error', ignore),
  }
}

function createPostgresJsDriver(sql: PostgresClient): PostgresDriver {
  return {
    async query({ text, values }) {
      try {
        return (await sql.unsafe(text, values, { prepare: values !== undefined }))[0]?.['answer']
      } catch (error) {
        throw toRemoteError(error)
      }
    },
    // The package cannot close a single connection. It closes when the network reports that it is broken.
    destroyBusyConnections() {},
    async listen(channel, { onMessage }) {
      // The package caches the promise of a failed `listen`, and would reject with the same error forever.
      Reflect.deleteProperty(sql.listen.channels ?? {}, channel)
      let isOpen = true
      const { unlisten } = await sql.listen(channel, (payload) => void (isOpen && onMessage(payload)))
      const close = (): void => {
        isOpen = false
        unlisten().catch(() => {})
      }
      return { close }
    },
    close() {},
  }
}

/** Reports whether connecting fails however often it is tried, such as with a wrong password or an unknown database. */
function isPermanentConnectError(error: unknown): boolean {
  return /^(28|3D)/.test(codeOf(error))
}

/** SQLSTATE codes of statements that were not executed and can be retried: server not ready, too many connections, deadlocks. */
const NOT_EXECUTED = /^(57P03|53300|40001|40P01|55P03)$/
/** SQLSTATE codes of a lost connection. */
const CONNECTION_LOST = /^(08|57P01|57P02)/
/** Codes of failures to connect. */
const NOT_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'CONNECT_TIMEOUT'])

function toRemoteError(error: unknown): RemoteError {
  const code = codeOf(error)
  if (NOT_EXECUTED.test(code) || NOT_CONNECTED.has(code)) return new RemoteError('unsent', error)
  return new RemoteError(/^[0-9A-Z]{5}$/.test(code) && !CONNECTION_LOST.test(code) ? 'rejected' : 'unknown', error)
}

/** Returns the SQLSTATE of an error, or any other code that it has. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
