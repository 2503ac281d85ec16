import { classify, isObject, type JsonValue, type RequestId } from 'portcall/jsonrpc'
import type { ClassifiedMessage } from '../../../portcall/src/jsonrpc/message.ts'
import { parseJson } from '../../../util/src/parse-json.ts'
import type { MessageEntry, RuleViolation, TranslationChange } from '../protocol/timeline.ts'
import type { RuleChecker } from '../rules/checker.ts'
import { isLossy } from '../timeline/compare.ts'
import type { NewEntry, Timeline } from '../timeline/timeline.ts'
import { callScope } from './call-scope.ts'
import { derivedEntry } from './derived-entries.ts'
import { createRequestsByDirection, linkMessage, type MessageLinks, type WireText } from './links.ts'
import { maskWebhookSecrets } from './mask.ts'
import { subjectOf, type WireRequest, type WireRequests } from './message-state.ts'

/** Records the messages of one connection and finds out how they belong together. */
export interface MessageRecorder {
  /** Records a text. Returns the ids of its entries. */
  record(text: WireText): readonly number[]
  /** Adds the form of a message in the newest revision. */
  setNewest(entryId: number, newest: JsonValue): void
  /** Returns the last recorded notification of a method, for its form in the newest revision. */
  lastNotification(method: string): number | undefined
  /**
   * Returns the entry of the request of the server for which a handler is called: the first that is open and has not been handled. Several can
   * arrive before the first handler is called.
   */
  handleServerRequest(method: string): number | undefined
  /** Ends the requests that nobody will answer: those that match, by default all. */
  endRequests(state: 'failed' | 'cancelled', matches?: (request: WireRequest) => boolean): void
  /** Returns the entry of the response to a request. */
  responseOf(entryId: number): number | undefined
}

export interface MessageRecorderOptions {
  readonly serverId: string
  readonly timeline: Timeline
  readonly rules: RuleChecker
  /** Lists how a message differs from its form in the newest revision. */
  readonly compare: (wire: JsonValue, newest: JsonValue) => readonly TranslationChange[]
  /** When a recording that is being read started, in milliseconds since 1970. */
  readonly timeOffset?: number
}

const MAX_SHOWN = 2000
const MAX_REMEMBERED = 10_000

/** One message of a text. */
interface ParsedText {
  readonly value: unknown
  readonly text: string
  readonly isBatch?: boolean
}

/** One message while it is being recorded. */
interface RecordedMessage {
  readonly wire: WireText
  readonly classified: ClassifiedMessage
  readonly text: string
  readonly time: number
  readonly operationId: string | undefined
}

/** Creates the recorder of one connection. */
export function createMessageRecorder(options: MessageRecorderOptions): MessageRecorder {
  const { serverId, timeline, rules, compare, timeOffset = 0 } = options
  const requests = createRequestsByDirection()
  const responses = new Map<number, number>()
  const notifications = new Map<string, number>()
  let openServerRequests: WireRequest[] = []

  const operationOf = (request: WireRequest | undefined): string | undefined =>
    request && timeline.get(request.entryId)?.entry.operationId

  const recordOne = (wire: WireText, { value, text, isBatch = false }: ParsedText): number => {
    const time = wire.time === undefined ? now() : timeOffset + wire.time
    const classified = classifyCopy(value)
    const links = linkMessage({ wire, classified, time }, requests)
    const parent = links.parentId === undefined ? undefined : timeline.get(links.parentId)?.entry.operationId
    const operationId = operationOf(links.request) ?? parent ?? callScope.getStore()?.operationId
    const recorded: RecordedMessage = { wire, classified, text, time, operationId }
    const { request, earlier, lastProgress } = links
    const { direction, stream } = wire
    const violations = rules.checkMessage({ direction, stream, classified, value, text, request, earlier, lastProgress, isBatch })
    const id = timeline.add(entryOf(serverId, recorded, { links, violations }), text.length > MAX_SHOWN ? { text } : {})
    remember(id, recorded, links)
    return id
  }

  const remember = (id: number, recorded: RecordedMessage, links: MessageLinks): void => {
    const { classified } = recorded
    if (classified.kind === 'request') rememberRequest(id, recorded, { classified, owner: links.owner })
    if (classified.kind === 'response' && links.request) settle(links.request, { id, classified, durationMs: links.durationMs })
    if (classified.kind === 'notification') afterNotification(id, recorded, { links, classified })
  }
  const rememberRequest = (
    id: number,
    { wire, time }: RecordedMessage,
    { classified: { message }, owner }: { classified: Kind<'request'>; owner: WireRequest | undefined },
  ): void => {
    const { id: rpcId, method, params = {} } = message
    const subject = subjectOf(params)
    const request: WireRequest = { entryId: id, method, params, time, subject, httpId: wire.httpId, state: 'pending', owner }
    if (owner) owner.openQuestions = (owner.openQuestions ?? 0) + 1
    requests[wire.direction].add(rpcId, request)
    if (wire.direction === 'in') openServerRequests.push(request)
    const scope = callScope.getStore()
    if (wire.direction === 'in' || !scope?.request || scope.entryId !== undefined) return
    scope.entryId = id
    setNewest(id, scope.request as unknown as JsonValue, message)
  }
  const settle = (
    request: WireRequest,
    { id, classified, durationMs }: { id: number; classified: Kind<'response'>; durationMs: number | undefined },
  ): void => {
    const { message } = classified
    const failed = 'error' in message
    if (request.owner?.openQuestions && !request.isAnswered) request.owner.openQuestions--
    request.isAnswered = true
    if (request.state !== 'cancelled') request.state = failed ? 'failed' : 'answered'
    request.asksForInput = !failed && message.result.resultType === 'input_required'
    timeline.update(request.entryId, { pairId: id, durationMs, state: request.state })
    openServerRequests = openServerRequests.filter(({ state }) => state === 'pending')
    responses.set(request.entryId, id)
    if (responses.size > MAX_REMEMBERED) responses.delete(responses.keys().next().value as number)
  }
  const afterNotification = (
    id: number,
    { time, operationId }: RecordedMessage,
    { links: { request }, classified }: { links: MessageLinks; classified: Kind<'notification'> },
  ): void => {
    const { method, params = {} } = classified.message
    notifications.set(method, id)
    if (method === 'notifications/cancelled' && request?.state === 'pending') {
      request.state = 'cancelled'
      timeline.update(request.entryId, { state: 'cancelled' })
    }
    if (request && method === 'notifications/progress' && typeof params.progress === 'number') request.progress = params.progress
    const derived = derivedEntry(method, params, { messageId: id, serverId, time, operationId })
    if (derived) timeline.add(derived)
  }
  const setNewest = (entryId: number, newest: JsonValue, wire?: unknown): void => {
    const value = (wire ?? storedValue(timeline, entryId)) as JsonValue | undefined
    const changes = value === undefined ? [] : compare(value, newest)
    if (changes.length > 0) timeline.update(entryId, marksOf(timeline, entryId, changes), { newest })
  }

  return {
    record(wire) {
      const { text, value } = parseMasked(wire.text)
      if (!Array.isArray(value) || value.length === 0) return [recordOne(wire, { value, text })]
      return value.map((item) => recordOne(wire, { value: item, text: JSON.stringify(item), isBatch: true }))
    },
    setNewest: (entryId, newest) => setNewest(entryId, masked(newest)),
    lastNotification: (method) => notifications.get(method),
    handleServerRequest: (method) => markHandled(openServerRequests.find((open) => open.method === method && !open.isHandled)),
    endRequests: (state, matches) => endPending(Object.values(requests), { timeline, state, matches }),
    responseOf: (entryId) => responses.get(entryId),
  }
}

function marksOf(
  timeline: Timeline,
  entryId: number,
  changes: readonly TranslationChange[],
): Pick<MessageEntry, 'isTranslated' | 'isLossy'> {
  const entry = timeline.get(entryId)?.entry
  const direction = entry?.type === 'message' ? entry.direction : 'in'
  return { isTranslated: true, ...(isLossy(changes, direction) && { isLossy: true }) }
}

interface Ending {
  readonly timeline: Timeline
  readonly state: 'failed' | 'cancelled'
  readonly matches: ((request: WireRequest) => boolean) | undefined
}

function endPending(directions: readonly WireRequests[], { timeline, state, matches = () => true }: Ending): void {
  for (const request of directions.flatMap((requests) => requests.filter(matches))) {
    if (request.state !== 'pending') continue
    request.state = state
    timeline.update(request.entryId, { state })
  }
}

function markHandled(request: WireRequest | undefined): number | undefined {
  if (request) request.isHandled = true
  return request?.entryId
}

type Kind<K extends ClassifiedMessage['kind']> = Extract<ClassifiedMessage, { kind: K }>

function storedValue(timeline: Timeline, entryId: number): unknown {
  const stored = timeline.get(entryId)
  return stored?.entry.type === 'message' ? parseJson(stored.details.text ?? stored.entry.text) : undefined
}

function entryOf(
  serverId: string,
  { wire, classified, text, time, operationId }: RecordedMessage,
  { links, violations }: { readonly links: MessageLinks; readonly violations: readonly RuleViolation[] },
): NewEntry {
  const { method, subject, pairId, parentId, durationMs, state } = links
  const { direction, httpId, stream } = wire
  const entry: { [Name in keyof Omit<MessageEntry, 'id' | 'seq'>]: MessageEntry[Name] | undefined } = {
    type: 'message',
    serverId,
    time,
    operationId,
    direction,
    messageKind: kindOf(classified),
    method,
    subject,
    rpcId: idOf(classified),
    pairId,
    parentId,
    httpId,
    stream,
    durationMs,
    bytes: Buffer.byteLength(text),
    text: text.slice(0, MAX_SHOWN),
    isTruncated: text.length > MAX_SHOWN,
    state,
    violations: violations.length > 0 ? violations : undefined,
  }
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as unknown as NewEntry
}

function kindOf(classified: ClassifiedMessage): MessageEntry['messageKind'] {
  return classified.kind === 'response' && 'error' in classified.message ? 'error' : classified.kind
}

function idOf(classified: ClassifiedMessage): RequestId | undefined {
  if (classified.kind === 'invalid') return classified.id
  return 'id' in classified.message ? classified.message.id : undefined
}

/** Classifies a copy, because `classify` removes members. */
function classifyCopy(value: unknown): ClassifiedMessage {
  if (value === undefined) return { kind: 'invalid', error: { code: -32_700, message: 'Not JSON' } }
  return classify(isObject(value) ? { ...value } : value)
}

/** Milliseconds since 1970, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now()
}

function masked(value: JsonValue): JsonValue {
  return JSON.parse(maskWebhookSecrets(JSON.stringify(value))) as JsonValue
}

function parseMasked(sent: string): ParsedText {
  const text = maskWebhookSecrets(sent)
  return { text, value: parseJson(text) }
}
