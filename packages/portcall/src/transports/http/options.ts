import type { Auth, HttpInfo } from '../../jsonrpc/exchange.ts'
import type { Request } from '../../jsonrpc/message.ts'
import type { MethodOf } from '../../protocol/methods.ts'
import type { Log } from '../../stores/log.ts'
import type { Stores } from '../../stores/stores.ts'
import type { GuardOptions } from './guard.ts'
import type { HttpLimits } from './limits.ts'
import type { Body } from './types.ts'

/** What an `authenticate` hook gets to see: everything that is known before the body is read. */
export interface Credentials extends HttpInfo {
  readonly method: string
  readonly target: string
  /** How often a header was sent, as far as the carrier can tell. */
  headerCount(name: string): number
}

/** Tells who is calling; throws `HttpError` to refuse (401, 403). What a caller leaves behind belongs to its `principal`. */
export type Authenticate = (credentials: Credentials) => Auth | undefined | Promise<Auth | undefined>

/** A request that may be for something beside the endpoint. */
export interface BesideRequest extends Credentials {
  /** Reads the body, within the limits of the endpoint. */
  readBody(): Body | Promise<Body>
}

/** The answer to a request beside the endpoint. */
export interface BesideAnswer {
  readonly status: number
  /** What is not said is `cache-control: no-store`. `content-length`, `transfer-encoding` and `date` are left out: the carrier writes them. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Answers what lies beside the endpoint, at paths of its own; with nothing, the request is for the endpoint. Nobody was authenticated. */
export type Beside = (request: BesideRequest) => BesideAnswer | undefined | Promise<BesideAnswer | undefined>

/** The headers of a 403 that tell a caller which scopes the request needs. */
export type Challenge = (scopes: readonly string[], auth: Auth | undefined) => Readonly<Record<string, string>>

/** How one HTTP endpoint behaves; each limit is an option too. */
export interface HttpOptions extends Partial<HttpLimits>, GuardOptions {
  /** The one path that is served; others are answered with 404. Without it, all are the endpoint. */
  readonly path?: string
  /**
   * How clients of the legacy revisions are served: with sessions (they can be asked things, and resume streams), without any memory, or
   * not at all. Default: sessions.
   */
  readonly legacy?: 'sessions' | 'stateless' | 'off'
  readonly authenticate?: Authenticate
  /** Asked first about every request that passed the guard. */
  readonly beside?: Beside
  /** Asked when a caller lacks scopes that a tool, resource or prompt demands. */
  readonly challenge?: Challenge
  /** Where events rest for resumption; `null` for no resumption. Default: in memory. */
  readonly log?: Log | null
  /** What is known of the methods that are served. Default: what the protocol has, and what the server adds to it. */
  readonly methodOf?: MethodOf
  /**
   * Where sessions and their events rest instead, so that other processes can serve them too and go on with them when this one has died.
   */
  readonly stores?: Omit<Stores, 'close'>
  /** With `stores`: whether a request may be run again when the process that ran it has died. Default: it ends with an error. */
  readonly mayRepeat?: (request: Request) => boolean
  /** Gets what went wrong inside; callers only ever see "Internal error". */
  readonly onError?: (error: unknown) => void
}
