import { UNAVAILABLE_META } from '../../entrypoints/client.ts'
import { isObject, isSuccess, type Middleware } from '../../entrypoints/jsonrpc.ts'
import type { Io } from '../io.ts'

/** Says once for each server that a gateway leaves out of its lists why it is not available. */
export function reportUnavailable({ json, log }: Pick<Io, 'json' | 'log'>): Middleware {
  const reported = new Set<string>()
  return async (request, context, next) => {
    const response = await next(request, context)
    if (json || !isSuccess(response) || !isObject(response.result._meta)) return response
    const unavailable = response.result._meta[UNAVAILABLE_META]
    for (const [server, reason] of Object.entries(isObject(unavailable) ? unavailable : {})) {
      if (!reported.has(server)) log(`the server ${server} is not available: ${String(reason)}`)
      reported.add(server)
    }
    return response
  }
}
