import type { Auth, ExchangeContext } from '../../jsonrpc/exchange.ts'

/** Returns the context of a request that the gateway sends by itself. */
export function createContext(signal: AbortSignal, auth: Auth | undefined): ExchangeContext {
  return { signal, notify: () => {}, ...(auth && { auth }) }
}
