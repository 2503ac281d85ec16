import type { JsonObject, Request } from '../../jsonrpc/message.ts'

/** The key in the `_meta` of a request of the gateway itself under which the handling of its answer is passed on, past all middleware. */
const RAW = Symbol('portcall.raw-answer')

/** Replaces or records the answer of a server, as the server sent it. */
export interface RawAnswer {
  /** Answers in place of the server. */
  readonly result?: JsonObject
  /** Receives the result, and the cursor of the request. */
  readonly onResult?: (result: JsonObject, cursor: unknown) => void
}

type MarkedMeta = JsonObject & { readonly [RAW]?: RawAnswer }

/** Returns `_meta` of a request whose answer is replaced or recorded below all middleware. It does not leave the process. */
export function withRawAnswer(meta: JsonObject, raw: RawAnswer): JsonObject {
  return { ...meta, [RAW]: raw } as JsonObject
}

/** Returns the handling of the answer to a request, and the request as its server gets it. */
export function takeRawAnswer(request: Request): { readonly raw: RawAnswer; readonly request: Request } | undefined {
  const meta = request.params?._meta as MarkedMeta | undefined
  const raw = meta?.[RAW]
  if (!raw) return undefined
  const { [RAW]: _raw, ...sent } = meta
  return { raw, request: { ...request, params: { ...request.params, _meta: sent } } }
}

/** Reports whether a request is answered with a kept result instead of by its server. */
export function isAnsweredFromKept({ params }: Request): boolean {
  return (params?._meta as MarkedMeta | undefined)?.[RAW]?.result !== undefined
}
