import type { JsonObject } from 'portcall/jsonrpc'
import type { ClassifiedMessage } from '../../../portcall/src/jsonrpc/message.ts'
import { relatedTaskId } from '../../../portcall/src/protocol/tasks.ts'
import type { MessageStream } from '../protocol/timeline.ts'
import { createWireRequests, subjectOf, subscriptionOf, type WireRequest, type WireRequests } from './message-state.ts'

/** A text on the wire: one message, or a batch. */
export interface WireText {
  readonly direction: 'out' | 'in'
  readonly text: string
  readonly stream: MessageStream
  readonly httpId?: number
  /** When it was sent, in milliseconds after `timeOffset`. Default: now. */
  readonly time?: number
}

/** How a message belongs to others. */
export interface MessageLinks {
  readonly method?: string | undefined
  readonly subject?: string | undefined
  readonly pairId?: number | undefined
  readonly parentId?: number | undefined
  readonly durationMs?: number | undefined
  readonly state?: WireRequest['state'] | undefined
  /** The request that a response answers, or that a notification belongs to. */
  readonly request?: WireRequest | undefined
  /** The request of ours during which the server sent this one. */
  readonly owner?: WireRequest | undefined
  /** An earlier request of the same sender with the same id. */
  readonly earlier?: WireRequest | undefined
  /** The progress of the request before this notification. */
  readonly lastProgress?: number | undefined
}

/** The requests of both directions. */
export type RequestsByDirection = { readonly out: WireRequests; readonly in: WireRequests }

export function createRequestsByDirection(): RequestsByDirection {
  return { out: createWireRequests(), in: createWireRequests() }
}

const EMPTY: JsonObject = {}

/** Finds out what a message belongs to. */
export function linkMessage(
  { wire, classified, time }: { readonly wire: WireText; readonly classified: ClassifiedMessage; readonly time: number },
  requests: RequestsByDirection,
): MessageLinks {
  const own = requests[wire.direction]
  const other = requests[wire.direction === 'out' ? 'in' : 'out']
  if (classified.kind === 'invalid') return { parentId: other.byHttp(wire.httpId)?.entryId }
  if (classified.kind === 'response') return linkResponse(other.get(classified.message.id), time)
  const { method, params = EMPTY } = classified.message
  const subject = subjectOf(params)
  if (classified.kind === 'notification') {
    const request = ownerOfNotification({ method, params, wire }, { own, other })
    return { method, subject, parentId: request?.entryId, request, lastProgress: request?.progress }
  }
  const owner = wire.direction === 'in' ? findOwner(other, wire, params) : undefined
  const parent = owner ?? (wire.direction === 'out' ? findFirstRound(own, { method, params, subject }) : undefined)
  return { method, subject, state: 'pending', parentId: parent?.entryId, owner, earlier: own.get(classified.message.id) }
}

function linkResponse(request: WireRequest | undefined, time: number): MessageLinks {
  if (!request) return {}
  const { method, subject, entryId: pairId } = request
  return { method, subject, pairId, durationMs: Math.max(0, time - request.time), request }
}

/** Calls that are sent within this time are taken to be sent together. */
const TOGETHER_MS = 100

/**
 * The request of ours during which the server sent a request of its own: that of the stream, or of the task. A program does not say which one
 * it was. It is taken to be the last that is open and asks nothing yet; of those that were sent together, the first.
 */
function findOwner(ours: WireRequests, { httpId }: WireText, params: JsonObject): WireRequest | undefined {
  const taskId = relatedTaskId(params)
  const known = ours.byHttp(httpId) ?? (taskId === undefined ? undefined : ours.filter(({ subject }) => subject === taskId)[0])
  if (known) return known
  const open = ours.filter(({ state, method }) => state === 'pending' && method !== 'subscriptions/listen')
  const [last, ...earlier] = open.filter(({ openQuestions = 0 }) => openQuestions === 0)
  return last ? (earlier.findLast(({ time }) => last.time - time < TOGETHER_MS) ?? last) : open[0]
}

interface RepeatedRequest {
  readonly method: string
  readonly params: JsonObject
  readonly subject: string | undefined
}

/** The first request of a call that is repeated with the responses to its input requests. */
function findFirstRound(ours: WireRequests, { method, params, subject }: RepeatedRequest): WireRequest | undefined {
  if (!('inputResponses' in params) && !('requestState' in params)) return undefined
  return ours.filter((request) => request.asksForInput === true && request.method === method && request.subject === subject)[0]
}

function ownerOfNotification(
  { method, params, wire }: { readonly method: string; readonly params: JsonObject; readonly wire: WireText },
  { own, other }: { readonly own: WireRequests; readonly other: WireRequests },
): WireRequest | undefined {
  if (method === 'notifications/cancelled') return own.get(params.requestId)
  if (method === 'notifications/progress') return other.byToken(params.progressToken)
  return other.get(subscriptionOf(params)) ?? other.byHttp(wire.httpId)
}
