import type { ExchangeContext } from '../src/jsonrpc/exchange.ts'
import { isSuccess, type JsonObject, type Notification, type Response } from '../src/jsonrpc/message.ts'
import { clientMeta } from '../src/protocol/probes.ts'
import type { ClientCapabilities } from '../src/protocol/types.ts'
import type { Server } from '../src/server/types.ts'

/** Sends requests to a server in tests. */
export interface Caller {
  readonly notifications: Notification[]
  request(method: string, params?: JsonObject, context?: Partial<ExchangeContext>): Promise<Response>
  /** Returns the result. @throws Error when the response is an error. */
  result(method: string, params?: JsonObject, context?: Partial<ExchangeContext>): Promise<JsonObject>
  /** Returns the error of the response. @throws Error when the response is a result. */
  error(method: string, params?: JsonObject, context?: Partial<ExchangeContext>): Promise<JsonObject>
}

/** Creates a client of the newest revision that calls a server's Exchange directly. */
export function callerOf(server: Server, capabilities: ClientCapabilities = {}, meta: JsonObject = {}): Caller {
  const notifications: Notification[] = []
  let id = 0
  const request: Caller['request'] = (method, params = {}, context = {}) => {
    const _meta = { ...clientMeta(undefined, capabilities), ...meta }
    return server.exchange(
      { jsonrpc: '2.0', id: ++id, method, params: { _meta, ...params } },
      { signal: new AbortController().signal, notify: (notification) => void notifications.push(notification), ...context },
    )
  }
  return {
    notifications,
    request,
    async result(...args) {
      const response = await request(...args)
      if (!isSuccess(response)) throw new Error(JSON.stringify(response.error))
      return response.result
    },
    async error(...args) {
      const response = await request(...args)
      if (isSuccess(response)) throw new Error(`not an error: ${JSON.stringify(response.result)}`)
      return { ...response.error }
    },
  }
}
