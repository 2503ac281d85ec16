import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type Request } from '../jsonrpc/message.ts'

/**
 * The key in the `_meta` of a request under which the legacy adapter passes on an object that identifies the session of the caller. A symbol
 * cannot appear in a message.
 */
export const CALLER_SESSION: unique symbol = Symbol('caller session')

/** Returns what identifies the caller of a request: the principal, or else its session. Returns `undefined` for an unknown caller. */
export function identityOf({ params }: Request, { auth }: Pick<ExchangeContext, 'auth'>): unknown {
  if (auth) return auth.principal
  const meta: { readonly [CALLER_SESSION]?: unknown } = isObject(params?._meta) ? params._meta : {}
  return meta[CALLER_SESSION]
}
