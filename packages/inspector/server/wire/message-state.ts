import { isObject, type JsonObject, type RequestId } from 'portcall/jsonrpc'
import { MetaKey } from '../../../portcall/src/protocol/meta.ts'

/** A request on the wire, in either direction. */
export interface WireRequest {
  readonly entryId: number
  readonly method: string
  readonly params: JsonObject
  readonly time: number
  readonly subject: string | undefined
  readonly httpId: number | undefined
  state: 'pending' | 'answered' | 'failed' | 'cancelled'
  /** The last progress that was reported. */
  progress?: number
  /** True if it has been answered. */
  isAnswered?: boolean
  /** True if its result asked for input. */
  asksForInput?: boolean
  /** The request of ours during which the server sent this one. */
  owner?: WireRequest | undefined
  /** The open requests that the server sent during this one. */
  openQuestions?: number
  /** True if the handler of this request of the server has been called. */
  isHandled?: boolean
}

/** The requests of one direction of a connection. */
export interface WireRequests {
  get(id: unknown): WireRequest | undefined
  /** Adds a request. Returns the earlier request with the same id. */
  add(id: RequestId, request: WireRequest): WireRequest | undefined
  byToken(token: unknown): WireRequest | undefined
  /** Returns the request of an HTTP exchange. */
  byHttp(httpId: number | undefined): WireRequest | undefined
  /** Returns the requests that match, latest first. */
  filter(matches: (request: WireRequest) => boolean): WireRequest[]
}

const MAX_REMEMBERED = 10_000

/** Creates the requests of one direction. Old ones are forgotten. */
export function createWireRequests(): WireRequests {
  const byId = new Map<unknown, WireRequest>()
  const tokens = new Map<unknown, WireRequest>()
  const https = new Map<number, WireRequest>()
  const maps: readonly Map<unknown, WireRequest>[] = [byId, tokens, https as Map<unknown, WireRequest>]

  const trim = (): void => {
    for (const map of maps) if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value)
  }
  return {
    get: (id) => byId.get(id),
    add(id, request) {
      const earlier = byId.get(id)
      byId.delete(id)
      byId.set(id, request)
      const token = isObject(request.params._meta) ? request.params._meta.progressToken : undefined
      if (token !== undefined) tokens.set(token, request)
      if (request.httpId !== undefined) https.set(request.httpId, request)
      trim()
      return earlier
    },
    byToken: (token) => tokens.get(token),
    byHttp: (httpId) => (httpId === undefined ? undefined : https.get(httpId)),
    filter: (matches) => [...byId.values()].reverse().filter(matches),
  }
}

/** The tool, prompt, URI or task that a request concerns, or the progress that a notification reports. */
export function subjectOf(params: JsonObject): string | undefined {
  const { name, uri, taskId, ref, progress, total, message } = params
  if (typeof progress === 'number') {
    const share = typeof total === 'number' ? `${progress} of ${total}` : String(progress)
    return typeof message === 'string' ? `${share} ${message}`.slice(0, 200) : share
  }
  const value = name ?? uri ?? taskId ?? (isObject(ref) ? (ref.name ?? ref.uri) : undefined)
  return typeof value === 'string' ? value.slice(0, 200) : undefined
}

/** The id of the request that a notification of a subscription belongs to. */
export function subscriptionOf(params: JsonObject): unknown {
  return isObject(params._meta) ? params._meta[MetaKey.subscriptionId] : undefined
}
