import { parseJson } from '../../../../../util/src/parse-json.ts'
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { createSseDecoder } from '../../../transports/http/common/sse-decode.ts'
import type { HttpObservation } from '../facts.ts'

/** Returns the JSON-RPC response in a body, which may be JSON or an event stream, whatever its type says. */
export function readRpcResponse({ body }: Pick<HttpObservation, 'body'>): JsonObject | undefined {
  return candidatesOf(body).find(isRpcResponse)
}

function candidatesOf(body: string): unknown[] {
  const parsed = parseJson(body)
  if (parsed !== undefined) return [parsed].flat()
  return readEvents(body).map(({ data }) => parseJson(data))
}

function isRpcResponse(value: unknown): value is JsonObject {
  return isObject(value) && value.jsonrpc === '2.0' && ('result' in value || 'error' in value)
}

/** One event of an event stream. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
}

/** Splits the text of an event stream. An event that is not complete yet is left out. */
export function readEvents(text: string): StreamEvent[] {
  const events = createSseDecoder(Infinity).push(new TextEncoder().encode(text))
  return events.map(({ event = 'message', data = '' }) => ({ event, data }))
}
