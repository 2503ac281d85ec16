import type { LinkedSet } from '../../../../../util/src/linked-set.ts'
import type { Exchange } from '../../../jsonrpc/exchange.ts'
import type { InsufficientScopeHeaders } from '../../../protocol/http.ts'
import type { MethodLookup } from '../../../protocol/methods.ts'
import type { HttpLimits } from './limits.ts'
import type { OpenStreams } from './open-streams.ts'

/** A running request that can be aborted. */
export interface Abortable {
  abort(reason: unknown): void
}

/** A stream that stays open after the function that opened it has returned. */
export interface LongLivedStream {
  /** Resolves when the stream has ended. */
  readonly closed: Promise<void>
}

/** The state that all requests to an endpoint share. */
export interface HttpEndpoint {
  readonly exchange: Exchange
  readonly methodOf: MethodLookup
  readonly parseJson: (text: string) => unknown
  readonly limits: HttpLimits
  readonly streams: OpenStreams
  /** All requests that are running. */
  readonly running: LinkedSet<Abortable>
  /** Receives internal errors. May return a reference for the client. */
  readonly onError: (error: unknown) => unknown
  readonly insufficientScopeHeaders: InsufficientScopeHeaders | undefined
}
