import type { Auth, Exchange } from '../../jsonrpc/exchange.ts'
import type { MethodOf } from '../../protocol/methods.ts'
import type { HttpLimits } from './limits.ts'
import type { Accepted } from './media.ts'
import type { Challenge } from './options.ts'
import type { Streams } from './streams.ts'
import type { HttpReply, HttpRequest } from './types.ts'

/** Something that is being answered and can be given up. */
export interface Abortable {
  abort(reason: unknown): void
}

/** A request that stays open when all that has led to it is done. */
export interface Lasting {
  /** Resolves when it is answered. */
  readonly end: Promise<void>
}

/** What all requests to one endpoint share. */
export interface Endpoint {
  readonly exchange: Exchange
  readonly methodOf: MethodOf
  readonly limits: HttpLimits
  readonly streams: Streams
  /** Everything that is being answered right now. */
  readonly running: Set<Abortable>
  readonly onError: (error: unknown) => void
  readonly challenge: Challenge | undefined
}

/** One HTTP request that passed the guard, and its answer. */
export interface Visit {
  readonly request: HttpRequest
  readonly reply: HttpReply
  readonly accepted: Accepted
  readonly auth: Auth | undefined
}
