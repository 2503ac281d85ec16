/*
 * What Portcall uses of the two drivers of PostgreSQL: one statement at a time, with texts as parameters and answers, and one connection
 * that listens.
 */
import { RemoteFailure } from '../remote/failure.ts'

/** A statement; one with values has a name, by which a connection keeps it prepared. */
export interface Statement {
  text: string
  name?: string
  values?: string[]
}

/** What is used of a connection of `pg`. */
export interface PgConnection {
  query(statement: Statement): Promise<{ rows: Record<string, unknown>[] }>
  on(event: string, listener: (notice?: { payload?: string | undefined }) => void): unknown
  release(destroy?: boolean): void
}

/** What is used of a `Pool` of `pg`. */
export interface PgPool {
  readonly totalCount: number
  connect(): Promise<PgConnection>
  on(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
}

/** What is used of a client of the package `postgres`. */
export interface PostgresClient {
  unsafe(text: string, values?: string[], options?: { prepare: boolean }): PromiseLike<ArrayLike<Record<string, unknown>>>
  readonly listen: {
    (channel: string, onMessage: (payload: string) => void): Promise<{ unlisten(): Promise<void> }>
    readonly channels?: object
  }
}

/** A `Pool` of `pg`, or a client of the package `postgres`, for PostgreSQL 12 or newer. It is used, and never ended. */
export type PostgresSource = PgPool | PostgresClient

/** A driver, whichever it is. */
export interface PostgresDriver {
  /** Runs one statement and resolves to the first column, named `answer`, of its first row. Rejects with `RemoteFailure`. */
  ask(statement: Statement, isLate: () => boolean): Promise<unknown>
  /** Ends the connections whose answer is waited for: they may be dead. */
  abandon(): void
  /** Opens a connection that hears what is said on a channel. */
  listen(channel: string, events: ListenEvents): Promise<Listening>
  close(): void
}

export interface ListenEvents {
  onLost(): void
  onMessage(payload: string): void
}

export interface Listening {
  end(): void
}

export function createDriver(source: PostgresSource): PostgresDriver {
  return 'unsafe' in source ? createPostgresDriver(source) : createPgDriver(source)
}

const LATE = 'nobody waits any more'

function createPgDriver(pool: PgPool): PostgresDriver {
  const asked = new Set<PgConnection>()
  const known = new WeakSet<PgConnection>()
  // A connection that breaks is no reason to end the process: who uses it is told.
  const ignore = (): void => {}
  pool.on('error', ignore)

  const letGo = (connection: PgConnection, destroy: boolean): void => {
    if (asked.delete(connection)) connection.release(destroy)
  }
  const connect = async (): Promise<PgConnection> => {
    const connection = await pool.connect().catch((error: unknown) => {
      throw new RemoteFailure(isFinal(error) ? 'refused' : 'unsent', error)
    })
    if (!known.has(connection)) connection.on('error', ignore)
    known.add(connection)
    return connection
  }

  return {
    async ask(statement, isLate) {
      const connection = await connect()
      asked.add(connection)
      if (isLate()) {
        letGo(connection, false)
        throw new RemoteFailure('unsent', LATE)
      }
      try {
        const { rows } = await connection.query(statement)
        letGo(connection, false)
        return rows[0]?.['answer']
      } catch (error) {
        const failure = failureOf(error)
        letGo(connection, failure.fate === 'unknown')
        throw failure
      }
    },
    abandon() {
      for (const connection of asked) letGo(connection, true)
    },
    async listen(channel, { onLost, onMessage }) {
      const connection = await connect()
      let open = true
      const end = (): void => {
        if (open) connection.release(true)
        open = false
      }
      const lose = (): void => {
        end()
        onLost()
      }
      connection.on('error', lose)
      connection.on('end', lose)
      connection.on('notification', (notice) => void (open && onMessage(notice?.payload ?? '')))
      await connection.query({ text: `listen "${channel}"` }).catch((error: unknown) => {
        end()
        throw error
      })
      return { end }
    },
    close: () => void pool.off('error', ignore),
  }
}

function createPostgresDriver(sql: PostgresClient): PostgresDriver {
  return {
    async ask({ text, values }) {
      try {
        return (await sql.unsafe(text, values, { prepare: values !== undefined }))[0]?.['answer']
      } catch (error) {
        throw failureOf(error)
      }
    },
    // It has no way to end one connection; they end when the network says so.
    abandon() {},
    async listen(channel, { onMessage }) {
      // It keeps what it has failed to listen to, and would answer with that failure for ever.
      Reflect.deleteProperty(sql.listen.channels ?? {}, channel)
      let open = true
      const { unlisten } = await sql.listen(channel, (payload) => void (open && onMessage(payload)))
      const end = (): void => {
        open = false
        unlisten().catch(() => {})
      }
      return { end }
    },
    close() {},
  }
}

/** What a connection could not be opened for, however often it is tried: a password, a database that is not there. */
function isFinal(error: unknown): boolean {
  return /^(28|3D)/.test(codeOf(error))
}

/** The classes of errors after which the statement was not done and may be tried again: not ready, too many connections, deadlocks. */
const NOT_DONE = /^(57P03|53300|40001|40P01|55P03)$/
/** Those that say that the connection is gone. */
const GONE = /^(08|57P01|57P02)/

function failureOf(error: unknown): RemoteFailure {
  const code = codeOf(error)
  if (NOT_DONE.test(code) || NEVER_SENT.has(code)) return new RemoteFailure('unsent', error)
  return new RemoteFailure(/^[0-9A-Z]{5}$/.test(code) && !GONE.test(code) ? 'refused' : 'unknown', error)
}

const NEVER_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'CONNECT_TIMEOUT'])

/** The SQLSTATE of an error, or what else it has for a code. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
