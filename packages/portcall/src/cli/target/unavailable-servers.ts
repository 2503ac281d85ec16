import { KEPT_META, UNAVAILABLE_META } from '../../entrypoints/client.ts'
import { isObject, isSuccess, type Middleware } from '../../entrypoints/jsonrpc.ts'
import type { Io } from '../io.ts'

/** Says once for each server that a gateway leaves out of its lists why it is not available. */
export function reportUnavailable({ json, log }: Pick<Io, 'json' | 'log'>): Middleware {
  const reported = new Set<string>()
  return async (request, context, next) => {
    const response = await next(request, context)
    if (json || !isSuccess(response) || !isObject(response.result._meta)) return response
    const { [UNAVAILABLE_META]: unavailable, [KEPT_META]: kept } = response.result._meta
    for (const [server, reason] of Object.entries(isObject(unavailable) ? unavailable : {})) {
      if (!reported.has(server)) log(`the server ${server} is not available: ${String(reason)}${keptNote(kept, server)}`)
      reported.add(server)
    }
    return response
  }
}

function keptNote(kept: unknown, server: string): string {
  return isObject(kept) && Object.hasOwn(kept, server) ? `. Its items are those of ${String(kept[server])}` : ''
}
