/** The settings of a client that are looked at. All others are copied, or replaced in the copies. */
export interface RedisClientSettings {
  /** The prefix of all keys of the client. It is put in front of `prefix`. */
  readonly keyPrefix?: unknown
  /** The settings of the nodes of a cluster. */
  readonly redisOptions?:
    | {
        /** The prefix of all keys of the client. */
        readonly keyPrefix?: unknown
      }
    | undefined
  /** `slave` if the client connects to replicas. */
  readonly role?: unknown
  /** The settings of the connection. */
  readonly socket?: object
}

/** The parts of a client of `ioredis`, or of its `Cluster`, that are used. */
export interface IoRedisClient {
  /** The settings of the client. */
  readonly options?: RedisClientSettings | undefined
  /** The state of the connection, such as `ready`. */
  readonly status: string
  /** True if the client is a `Cluster`. */
  readonly isCluster: boolean
  /** Creates a client with the same settings. */
  duplicate(...options: never[]): IoRedisClient
  /** Opens the connection. */
  connect(): Promise<unknown>
  /** Closes the connection immediately. */
  disconnect(): void
  /** Sends a command. */
  call(command: string, args: string[]): Promise<unknown>
  /** Sends several commands at once. */
  pipeline(commands: string[][]): {
    /** Resolves to the error or the result of each command. */
    exec(): Promise<Array<[error: Error | null, result: unknown]> | null>
  }
  /** Subscribes to channels. */
  subscribe(...channels: string[]): Promise<unknown>
  /** Ends subscriptions. */
  unsubscribe(...channels: string[]): Promise<unknown>
  /** Listens to an event. */
  on(event: string, listener: (...args: string[]) => void): unknown
  /** Returns the number of listeners of an event. */
  listenerCount?(event: string): number
}

/** The parts of a client of the package `redis` that are used. */
export interface NodeRedisClient {
  /** True if the client was connected and not closed. */
  readonly isOpen: boolean
  /** The settings of the client. */
  readonly options?: RedisClientSettings | undefined
  /** Creates a client with the same settings, except those passed. */
  duplicate(options: object): NodeRedisClient
  /** Opens the connection. */
  connect(): Promise<unknown>
  /** Closes the connection immediately. */
  destroy(): void
  /** Sends a command. */
  sendCommand(args: string[]): Promise<unknown>
  /** Subscribes to channels. */
  subscribe(channels: string[], listener: (message: string, channel: string) => void): Promise<unknown>
  /** Ends subscriptions. */
  unsubscribe(channels: string[]): Promise<unknown>
  /** Listens to an event. */
  on(event: string, listener: (...args: string[]) => void): unknown
  /** Returns the number of listeners of an event. */
  listenerCount?(event: string): number
}

/**
 * A client of `ioredis` or `redis` for Redis 6.2 or newer, or Valkey. Portcall duplicates it, and does not connect, use or close the client
 * itself.
 */
export type RedisClient = IoRedisClient | NodeRedisClient
