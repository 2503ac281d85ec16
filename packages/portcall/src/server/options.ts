import type { Logger } from '../logging/logger.ts'
import type { CacheHint } from '../protocol/types.ts'
import type { Stores } from '../stores/stores.ts'
import type { InsufficientScopePolicy } from './definitions.ts'
import type { OnEvent } from './events.ts'
import type { DeclarableCapability, ServerExtension } from './extension.ts'

/** The results whose cache hint is configurable. */
export type Cacheable = 'discover' | 'tools' | 'resources' | 'templates' | 'prompts' | 'read'

/** The limits of a server; docs/reference/limits.md lists the defaults. */
export interface ServerLimits {
  /** Time limit of tools without a `timeoutMs` of their own, in milliseconds. */
  toolTimeoutMs: number
  /** Maximum size of a resource that is read from a stream, in bytes. */
  maxResourceBytes: number
  /** Lifetime of a `requestState`: how long a client may take to respond to input requests, in milliseconds. */
  requestStateTtlMs: number
  /** A larger request state, in bytes, is saved in the store instead of being sent to the client. */
  maxInlineRequestStateBytes: number
  /** How many times one call may be suspended to request input. */
  maxRoundTrips: number
  /** Time limit of each operation on `stores`, in milliseconds. */
  storeTimeoutMs: number
}

export const SERVER_LIMITS: ServerLimits = {
  toolTimeoutMs: 600_000,
  maxResourceBytes: 16 * 1024 * 1024,
  requestStateTtlMs: 3_600_000,
  maxInlineRequestStateBytes: 8 * 1024,
  maxRoundTrips: 32,
  storeTimeoutMs: 5000,
}

/** The options of `createServer`. */
export interface ServerOptions<E extends readonly ServerExtension[] = readonly ServerExtension[]> {
  /** Instructions that tell models how to use this server. */
  readonly instructions?: string
  /**
   * Keys that seal cursors and request states, each 32 bytes as base64url. The first key seals; every key opens. Default: a random key in
   * the store, which every process that shares the store can use, and so can everyone who can read the store.
   */
  readonly sealingKeys?: readonly string[]
  /**
   * When a `requestState` counts as used, so that the caller cannot send it again before it expires. `'steps'`: when the call that it resumes
   * runs a step or becomes a task. `'always'`: when it resumes a call, also one without steps. A use is recorded in the store with one
   * compare-and-set, in the round trips that the rule applies to; without `stores`, in the memory of this process, for the last 100,000 calls.
   *
   * A caller that sends a used state gets error -32602, and so does a client that repeats a request because its response was lost: results are
   * not kept. The error does not say whether the first request has succeeded. Default: `'steps'`.
   */
  readonly singleUseRequestState?: 'steps' | 'always'
  /** Number of items on a page of a list. Default: 1000. */
  readonly pageSize?: number
  /** Cache hints of results. Default: results must not be cached. */
  readonly cache?: { readonly [result in Cacheable]?: CacheHint }
  /** Extensions of the protocol. Default: none. */
  readonly extensions?: E
  /** Capabilities to declare before anything of their kind is registered. */
  readonly capabilities?: readonly DeclarableCapability[]
  /**
   * The answer to a caller that lacks the scopes of a tool, resource or prompt: `'challenge'` answers with an error that lists the required
   * scopes, `'hide'` treats the item as unknown. Default: `'challenge'`.
   */
  readonly onInsufficientScope?: InsufficientScopePolicy
  /**
   * Storage shared by the processes that serve this definition. It holds the sessions and events of legacy clients and large request states,
   * and carries change notifications. Default: the memory of this process.
   */
  readonly stores?: Omit<Stores, 'close'>
  /** Limits on sizes, counts and times. */
  readonly limits?: Partial<ServerLimits>
  /**
   * Receives errors whose details are hidden from clients, and warnings, instead of stderr: `onEvent: (event) => logger.error(event)`. An
   * empty function discards them. Default: they are written to stderr with `console.error`.
   */
  readonly onEvent?: OnEvent
  /**
   * Receives a structured record of each event and each request, instead of stderr: a logger of pino or winston, `console`, or anything with
   * their methods. Default: requests are not logged.
   */
  readonly logger?: Logger
}
