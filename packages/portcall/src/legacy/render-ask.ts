import type { JsonObject } from '../jsonrpc/message.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { InputRequest } from '../protocol/types.ts'

/** A question in the words of a legacy revision. */
export interface RenderedAsk {
  readonly method: string
  readonly params?: JsonObject
  /** Turns the answer of the client into the one that the core has asked for. */
  readAnswer(result: JsonObject): JsonObject
}

/** Renders a question of the core as a request to a legacy client; `undefined` when the revision cannot ask it. */
export function renderAsk(input: InputRequest, revision: Revision): RenderedAsk | undefined {
  const { method, params } = input
  if (!revision.asks.includes(method)) return undefined
  return { method, ...(params && { params }), readAnswer: (result) => result }
}
