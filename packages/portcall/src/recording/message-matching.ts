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
import type { RecordingEntry } from './recording.ts'

export function isRequestMessage(message: Message): message is Request {
  return 'method' in message && 'id' in message
}

export function isResponseMessage(message: Message): message is Response {
  return !('method' in message)
}

/**
 * Reports whether a live message corresponds to a recorded one: calls have the same method, and the same `name` and `uri`; responses have
 * the same request ID.
 */
export function matchesRecorded(recorded: Message | Message[], live: Message | Message[]): boolean {
  if (Array.isArray(recorded) || Array.isArray(live))
    return (
      Array.isArray(recorded) &&
      Array.isArray(live) &&
      recorded.length === live.length &&
      recorded.every((message, index) => matchesRecorded(message, live[index] as Message))
    )
  if (isResponseMessage(recorded) || isResponseMessage(live))
    return isResponseMessage(recorded) && isResponseMessage(live) && recorded.id === live.id
  const hasSame = (key: string): boolean => recorded.params?.[key] === live.params?.[key]
  return (
    recorded.method === live.method && isRequestMessage(recorded) === isRequestMessage(live) && hasSame('name') && hasSame('uri')
  )
}

/** Returns the ID of the request that a notification belongs to, if the notification identifies it. */
export function relatedRequestId(
  { message, for: recordedId }: RecordingEntry,
  requests: readonly Request[],
): RequestId | undefined {
  if (recordedId !== undefined || !message || Array.isArray(message) || isResponseMessage(message)) return recordedId
  const { params = {} } = message
  const byToken =
    params.progressToken !== undefined ? requests.find((request) => progressTokenOf(request) === params.progressToken) : undefined
  const id = isObject(params._meta) ? params._meta[MetaKey.subscriptionId] : undefined
  return byToken?.id ?? requests.find((request) => request.id === id)?.id
}

/** Translates the request IDs and progress tokens of a recording to those of a live conversation. */
export interface IdTranslator {
  /** Learns the IDs of a live message that corresponds to a recorded one. */
  learn(recorded: Message | Message[], live: Message | Message[]): void
  /** Reports whether a recorded request has a live counterpart. */
  isKnown(id: RequestId): boolean
  /** Returns a recorded message with live IDs and tokens. */
  translate<M extends Message | Message[]>(recorded: M): M
}

export function createIdTranslator(): IdTranslator {
  const ids = new Map<unknown, RequestId>()
  const tokens = new Map<unknown, unknown>()

  const learnOne = (recorded: Message, live: Message): void => {
    if (!isRequestMessage(recorded) || !isRequestMessage(live)) return
    ids.set(recorded.id, live.id)
    tokens.set(progressTokenOf(recorded), progressTokenOf(live))
  }
  const translateOne = (message: Message): Message => {
    if (isResponseMessage(message)) {
      const id = translateMember(message as unknown as JsonObject, 'id', ids)
      return { ...message, ...id, ...translateResult(message) } as Response
    }
    const { params } = message
    if (isRequestMessage(message) || !params) return message
    return {
      ...message,
      params: { ...params, ...translateMember(params, 'progressToken', tokens), ...translateMeta(params) },
    } satisfies Notification
  }
  const translateMeta = ({ _meta }: JsonObject): JsonObject =>
    isObject(_meta) ? { _meta: { ..._meta, ...translateMember(_meta, MetaKey.subscriptionId, ids) } } : {}
  const translateResult = (response: Response): JsonObject =>
    'result' in response ? { result: { ...response.result, ...translateMeta(response.result) } } : {}

  return {
    learn(recorded, live) {
      const liveMessages = [live].flat()
      for (const [index, message] of [recorded].flat().entries()) learnOne(message, liveMessages[index] as Message)
    },
    isKnown: (id) => ids.has(id),
    translate: <M extends Message | Message[]>(recorded: M) =>
      (Array.isArray(recorded) ? recorded.map(translateOne) : translateOne(recorded)) as M,
  }
}

function translateMember(object: JsonObject, key: string, translations: ReadonlyMap<unknown, unknown>): JsonObject {
  return translations.has(object[key]) ? { [key]: translations.get(object[key]) } : {}
}

function progressTokenOf({ params }: Request): unknown {
  return isObject(params?._meta) ? params._meta.progressToken : undefined
}
