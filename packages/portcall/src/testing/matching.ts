import {
  isObject,
  type JsonObject,
  type Message,
  type Notification,
  type Request,
  type RequestId,
  type Response,
} from '../jsonrpc/message.ts'
import { MetaKey } from '../protocol/meta.ts'
import type { Entry } from './recording.ts'

export function isRequest(message: Message): message is Request {
  return 'method' in message && 'id' in message
}

export function isResponse(message: Message): message is Response {
  return !('method' in message)
}

/** Whether a live message stands where a recorded one stood: the same method, and the same tool, prompt or URI; or an answer to the same question. */
export function fits(recorded: Message | Message[], live: Message | Message[]): boolean {
  if (Array.isArray(recorded) || Array.isArray(live))
    return (
      Array.isArray(recorded) &&
      Array.isArray(live) &&
      recorded.length === live.length &&
      recorded.every((one, at) => fits(one, live[at] as Message))
    )
  if (isResponse(recorded) || isResponse(live)) return isResponse(recorded) && isResponse(live) && recorded.id === live.id
  const same = (key: string): boolean => recorded.params?.[key] === live.params?.[key]
  return recorded.method === live.method && isRequest(recorded) === isRequest(live) && same('name') && same('uri')
}

/** The request that a notification says it belongs to. */
export function ownerOf({ message, for: named }: Entry, requests: readonly Request[]): RequestId | undefined {
  if (named !== undefined || !message || Array.isArray(message) || isResponse(message)) return named
  const { params = {} } = message
  const byToken =
    params.progressToken !== undefined ? requests.find((request) => tokenOf(request) === params.progressToken) : undefined
  const id = isObject(params._meta) ? params._meta[MetaKey.subscriptionId] : undefined
  return byToken?.id ?? requests.find((request) => request.id === id)?.id
}

/** What the ids and progress tokens of recorded requests are now. */
export interface Identities {
  /** Learns from a request that was recorded and its like of now. */
  learn(recorded: Message | Message[], live: Message | Message[]): void
  knows(id: RequestId): boolean
  /** Rewrites a recorded message for the requests of now. */
  translate<M extends Message | Message[]>(recorded: M): M
}

export function createIdentities(): Identities {
  const ids = new Map<unknown, RequestId>()
  const tokens = new Map<unknown, unknown>()

  const learnOne = (recorded: Message, live: Message): void => {
    if (!isRequest(recorded) || !isRequest(live)) return
    ids.set(recorded.id, live.id)
    tokens.set(tokenOf(recorded), tokenOf(live))
  }
  const translateOne = (message: Message): Message => {
    if (isResponse(message))
      return { ...message, ...renamed(message as unknown as JsonObject, 'id', ids), ...subscribed('result', message) } as Response
    const { params } = message
    if (isRequest(message) || !params) return message
    return {
      ...message,
      params: { ...params, ...renamed(params, 'progressToken', tokens), ...subscription(params) },
    } satisfies Notification
  }
  const subscription = (holder: JsonObject): JsonObject => {
    const { _meta } = holder
    return isObject(_meta) ? { _meta: { ..._meta, ...renamed(_meta, MetaKey.subscriptionId, ids) } } : {}
  }
  const subscribed = (key: string, message: object): JsonObject => {
    const holder = (message as JsonObject)[key]
    return isObject(holder) ? { [key]: { ...holder, ...subscription(holder) } } : {}
  }
  return {
    learn(recorded, live) {
      const others = [live].flat()
      for (const [at, one] of [recorded].flat().entries()) learnOne(one, others[at] as Message)
    },
    knows: (id) => ids.has(id),
    translate: <M extends Message | Message[]>(recorded: M) =>
      (Array.isArray(recorded) ? recorded.map(translateOne) : translateOne(recorded)) as M,
  }
}

function renamed(holder: JsonObject, key: string, names: ReadonlyMap<unknown, unknown>): JsonObject {
  return names.has(holder[key]) ? { [key]: names.get(holder[key]) } : {}
}

function tokenOf({ params }: Request): unknown {
  return isObject(params?._meta) ? params._meta.progressToken : undefined
}
