import type { Auth, HttpInfo } from '../../jsonrpc/exchange.ts'
import type { Log } from '../../stores/log.ts'
import type { GuardOptions } from './guard.ts'
import type { HttpLimits } from './limits.ts'

/** What an `authenticate` hook gets to see: everything that is known before the body is read. */
export interface Credentials extends HttpInfo {
  readonly method: string
  readonly target: string
}

/** Tells who is calling; throws `HttpError` to refuse (401, 403). What a caller leaves behind belongs to its `principal`. */
export type Authenticate = (credentials: Credentials) => Auth | undefined | Promise<Auth | undefined>

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
  /** Where events rest for resumption; `null` for no resumption. Default: in memory. */
  readonly log?: Log | null
  /** Gets what went wrong inside; callers only ever see "Internal error". */
  readonly onError?: (error: unknown) => void
}
