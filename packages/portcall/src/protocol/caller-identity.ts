import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type Request } from '../jsonrpc/message.ts'

/**
 * The key in the `_meta` of a request under which the legacy adapter passes on an object that identifies the session of the caller. A symbol
 * cannot appear in a message.
 */
export const CALLER_SESSION: unique symbol = Symbol('caller session')

/** Returns what identifies the caller of a request: the principal, or else its session. Returns `undefined` for an unknown caller. */
export function identityOf(request: Request, { auth }: Pick<ExchangeContext, 'auth'>): unknown {
  return auth ? auth.principal : sessionOf(request)
}

/** Returns the object that identifies the session of a request. Clients of the newest revision have no sessions. */
export function sessionOf({ params }: Request): object | undefined {
  const meta: { readonly [CALLER_SESSION]?: object } = isObject(params?._meta) ? params._meta : {}
  return meta[CALLER_SESSION]
}
