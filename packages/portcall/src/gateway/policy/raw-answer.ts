import type { JsonObject, Request } from '../../jsonrpc/message.ts'

/** The key in the `_meta` of a request of the gateway itself under which the handling of its answer is passed on, past all middleware. */
export const RAW_ANSWER: unique symbol = Symbol('portcall.raw-answer')

/** Replaces or records the answer of a server, as the server sent it. */
export interface RawAnswer {
  /** Answers in place of the server. */
  readonly result?: JsonObject
  /** Receives the result, and the cursor of the request. */
  readonly onResult?: (result: JsonObject, cursor: unknown) => void
}

/** `_meta` that may have a raw answer. */
export type MarkedMeta = JsonObject & { readonly [RAW_ANSWER]?: RawAnswer }

/** Returns `_meta` of a request whose answer is replaced or recorded below all middleware. It does not leave the process. */
export function withRawAnswer(meta: JsonObject, raw: RawAnswer): JsonObject {
  return { ...meta, [RAW_ANSWER]: raw } as JsonObject
}

/** Reports whether a request is answered with a kept result instead of by its server. */
export function isAnsweredFromKept({ params }: Request): boolean {
  return (params?._meta as MarkedMeta | undefined)?.[RAW_ANSWER]?.result !== undefined
}
