import type { Exchange } from '../../jsonrpc/exchange.ts'
import { isSuccess, type JsonObject, type Request, success } from '../../jsonrpc/message.ts'

/** The member of `_meta` with what the gateway does with the answer to its own request, below the middleware of the server. */
const RAW = Symbol('portcall.raw-answer')

/** What the gateway does with the answer of a server, as the server sent it. */
export interface RawAnswer {
  /** Answers in place of the server. */
  readonly result?: JsonObject
  /** Receives the result, and the cursor of the request. */
  readonly onResult?: (result: JsonObject, cursor: unknown) => void
}

/** Returns `_meta` of a request whose answer is replaced or recorded below all middleware. It does not leave the process. */
export function withRawAnswer(meta: JsonObject, raw: RawAnswer): JsonObject {
  return { ...meta, [RAW]: raw } as JsonObject
}

/** Reports whether a request is answered with what was kept, and not by its server. */
export function isAnsweredFromKept({ params }: Request): boolean {
  return (params?._meta as MarkedMeta | undefined)?.[RAW]?.result !== undefined
}

/** Wraps what sends requests to a server, below all middleware. */
export function answerRaw(send: Exchange): Exchange {
  return (request, context) => {
    const meta = request.params?._meta as MarkedMeta | undefined
    const raw = meta?.[RAW]
    if (!meta || !raw) return send(request, context)
    const { result, onResult } = raw
    if (result) return Promise.resolve(success(request.id, result))
    const { [RAW]: _raw, ...sent } = meta
    return send({ ...request, params: { ...request.params, _meta: sent } }, context).then((response) => {
      if (isSuccess(response)) onResult?.(response.result, request.params?.cursor)
      return response
    })
  }
}

type MarkedMeta = JsonObject & { readonly [RAW]?: RawAnswer }
