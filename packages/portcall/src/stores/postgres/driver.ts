/*
 * The parts of the two PostgreSQL drivers that Portcall uses: single statements with text parameters and text results, and one connection
 * that listens for notifications.
 */

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
  /** The number of callers that wait for a connection. */
  readonly waitingCount?: number
  /** The settings of the pool. */
  readonly options?: {
    /** The maximum number of connections. */
    readonly max?: number | undefined
  }
  /** Resolves to a connection, which must be released. */
  connect(): Promise<PgConnection>
  /** Listens to errors of idle connections. */
  on(event: 'error', listener: () => void): unknown
  /** Listens to new connections. */
  on(event: 'connect', listener: (connection: PgConnection) => void): unknown
  /** Removes a listener. */
  off(event: 'error' | 'connect', listener: () => void): unknown
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
  /** Returns why an operation may have timed out, if the driver knows. */
  explainTimeout(): string | undefined
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
  /** Sends something on the connection, so that nothing ends it because it is idle. Rejects if it is broken. */
  ping(): Promise<void>
}
