import { KINDS } from '../../compose/kinds.ts'
import { isObject, type JsonObject, type Message, type Request, type RequestId, type Response } from '../../jsonrpc/message.ts'
import { type Recording, readRecording } from '../../recording/recording.ts'

/** A request of a recording and its response. */
export interface RecordedCall {
  /** The request in words: `tools/call search #2`. The number counts the requests with the same method and name. */
  readonly where: string
  readonly method: string
  /** The params, without the envelope of the revision. */
  readonly params: JsonObject
  /** The response; absent if the recording has none. */
  readonly response: Response | undefined
}

/** The members of `_meta` that belong to a revision or to one conversation. */
const ENVELOPE = /^(io\.modelcontextprotocol\/|progressToken$)/
/** The requests of a handshake and of a session. */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'server/discover',
  'subscriptions/listen',
])

/** Returns the requests of the client in a recording with their responses, without those that only keep the connection up. */
export function readCalls(recording: Recording | string): RecordedCall[] {
  return readAllCalls(recording).filter(({ method }) => !HOUSEKEEPING.has(method))
}

/** Returns all requests of the client in a recording, with their responses. */
export function readAllCalls(recording: Recording | string): RecordedCall[] {
  const calls: MutableCall[] = []
  const counts = new Map<string, number>()
  for (const { direction, message } of readRecording(recording)) {
    for (const one of [message ?? []].flat() as Message[]) {
      if (direction === 'sent' && 'method' in one && 'id' in one) calls.push(createCall(one, counts))
      if (direction === 'received' && !('method' in one)) settle(calls, one)
    }
  }
  return calls
}

interface MutableCall extends RecordedCall {
  readonly id: RequestId
  response: Response | undefined
}

function createCall({ id, method, params = {} }: Request, counts: Map<string, number>): MutableCall {
  const label = labelOf(method, params)
  const count = (counts.get(label) ?? 0) + 1
  counts.set(label, count)
  return { id, where: count === 1 ? label : `${label} #${count}`, method, params: withoutEnvelope(params), response: undefined }
}

/** Gives a response to the first request that waits for it: clients may use an ID again. */
function settle(calls: readonly MutableCall[], response: Response): void {
  const call = calls.find(({ id, response: earlier }) => id === response.id && !earlier)
  if (call) call.response = response
}

function labelOf(method: string, { name, uri, cursor }: JsonObject): string {
  return [method, name ?? uri ?? cursor].filter((word) => typeof word === 'string').join(' ')
}

function withoutEnvelope({ _meta, ...params }: JsonObject): JsonObject {
  const own = isObject(_meta) ? Object.entries(_meta).filter(([key]) => !ENVELOPE.test(key)) : []
  return own.length === 0 ? params : { ...params, _meta: Object.fromEntries(own) }
}

/** The members of results that belong to a revision or to caching, not to what the server says. */
const TRANSPORT_MEMBERS: ReadonlySet<string> = new Set(['resultType', 'ttlMs', 'cacheScope'])

/** Returns a response in a form that can be compared across revisions: the result without what belongs to the transport, or the error. */
export function comparableResponse(response: Response | undefined): JsonObject {
  if (!response) return {}
  const { error, result: received } = response as { error?: unknown; result?: JsonObject }
  if (isObject(error)) return { error }
  const { _meta, ...result } = received ?? {}
  const own = isObject(_meta) ? Object.entries(_meta).filter(([key]) => !ENVELOPE.test(key)) : []
  const members = Object.entries(result).filter(
    ([key, value]) => !TRANSPORT_MEMBERS.has(key) || (key === 'resultType' && value !== 'complete'),
  )
  return {
    result: {
      ...Object.fromEntries(members.map(([key, value]) => [key, byName(key, value)])),
      ...(own.length > 0 && { _meta: Object.fromEntries(own) }),
    },
  }
}

/** The lists whose items have a name: their order does not count. */
const ITEM_KEYS: { readonly [list: string]: string } = Object.fromEntries(Object.values(KINDS).map(({ key, id }) => [key, id]))

function byName(list: string, value: unknown): unknown {
  const key = ITEM_KEYS[list]
  if (key === undefined || !Array.isArray(value) || !value.every(isObject)) return value
  return Object.fromEntries(value.map((item) => [String(item[key]), item]))
}

/** Reports whether a value contains a secret that was redacted, so that it cannot be sent again. */
export function isRedacted(value: unknown): boolean {
  return /\[redacted( \d+)?\]/.test(JSON.stringify(value) ?? '')
}
