import type { CacheHint } from '../protocol/types.ts'
import type { Stores } from '../stores/stores.ts'
import type { LackingScopes } from './define.ts'
import type { OnEvent } from './events.ts'
import type { Declarable, ServerExtension } from './extension.ts'

/** The results that carry a cache hint of the server's choice. */
export type Cacheable = 'discover' | 'tools' | 'resources' | 'templates' | 'prompts' | 'read'

/** Limits of a server; docs/limits.md has the defaults. Times are milliseconds, sizes bytes. */
export interface ServerLimits {
  /** The longest that a tool without a `timeoutMs` of its own may run. */
  toolTimeoutMs: number
  /** The most that a resource stream may give. */
  maxResourceBytes: number
  /** How long a client may take to answer what a call asked. */
  stateTtlMs: number
  /** Above this many bytes the state of an asking call rests in the store. */
  maxStateBytes: number
  /** How often one call may send its client away with questions. */
  maxRounds: number
  /** With `stores`: an operation that takes longer has failed. */
  storeTimeoutMs: number
}

export const SERVER_LIMITS: ServerLimits = {
  toolTimeoutMs: 600_000,
  maxResourceBytes: 16 * 1024 * 1024,
  stateTtlMs: 3_600_000,
  maxStateBytes: 8 * 1024,
  maxRounds: 32,
  storeTimeoutMs: 5000,
}

/** How a server behaves; all of it is optional. */
export interface ServerOptions<E extends readonly ServerExtension[] = readonly ServerExtension[]> {
  /** Tells a model how to use this server. */
  readonly instructions?: string
  /**
   * Keys that seal cursors and the state of asking calls, each 32 bytes as base64url: the first seals, all open. By default one random key:
   * it rests in the store, so that every process opens what another has sealed, and so can whoever reads the store.
   */
  readonly keys?: readonly string[]
  /** How many items a page of a list has. */
  readonly pageSize?: number
  /** How long and by whom results may be kept; by default not at all. */
  readonly cache?: { readonly [result in Cacheable]?: CacheHint }
  /** Parts of the protocol beyond the core. Default: none. */
  readonly extensions?: E
  /** Kinds of items that are declared although none is registered yet. */
  readonly declare?: readonly Declarable[]
  /**
   * What callers meet who lack the scopes of a tool, resource or prompt: a refusal that tells which are needed, or nothing at all, as if
   * it did not exist. Default: `'challenge'`.
   */
  readonly lackingScopes?: LackingScopes
  /**
   * Where state rests, and what carries changes between the processes that serve this definition: the sessions of older clients with their
   * events, and the state of asking calls that is too large to travel. Default: the memory of this process.
   */
  readonly stores?: Omit<Stores, 'close'>
  readonly limits?: Partial<ServerLimits>
  /** Hears of errors that callers are not shown, and of warnings. */
  readonly onEvent?: OnEvent
}
