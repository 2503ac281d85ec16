import { isJsonEqual } from '../../../util/src/json-equal.ts'
import type { Channel, ChannelInput } from '../jsonrpc/channel.ts'
import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Message, Notification, Request, RequestId } from '../jsonrpc/message.ts'
import { EventMethod } from '../protocol/events.ts'
import { METHODS } from '../protocol/methods.ts'
import { createIdTranslator, isRequestMessage, isResponseMessage, matchesRecorded, relatedRequestId } from './message-matching.ts'
import { type Recording, type RecordingEntry, readRecording } from './recording.ts'

/** Options of `replayChannel`. */
export interface ReplayOptions {
  /** The side to replay, of a recording made at the client's end. */
  readonly as: 'server' | 'client'
}

/** A channel to a replayed peer. */
export interface Replayer extends Channel {
  /** Resolves when the whole recording was replayed. Rejects when a message is not in the recording, or when one is missing at the end. */
  readonly done: Promise<void>
}

/**
 * Replays one side of a recording, for example `connect(replayChannel(recording, { as: 'server' }))`. Each recorded message is sent as soon
 * as the messages before it were received. Request IDs and progress tokens are replaced by those of the live conversation. A live message
 * corresponds to a recorded one if both have the same method, and the same tool, prompt or URI.
 */
export function replayChannel(recording: Recording | string, { as }: ReplayOptions): Replayer {
  const direction = as === 'server' ? 'received' : 'sent'
  const script = createScript(readRecording(recording), direction)
  const unmatched: (Message | Message[])[] = []
  let settle: { resolve(): void; reject(reason: Error): void } | undefined
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  done.catch(() => {})
  let onMessage: ((input: ChannelInput) => void) | undefined
  let onEnd: ((reason?: Error) => void) | undefined
  let isClosed = false

  const end = (reason?: Error): void => {
    if (!onEnd) return
    const callback = onEnd
    onEnd = undefined
    if (reason) settle?.reject(reason)
    queueMicrotask(() => callback(reason))
  }
  const deliver = (input: ChannelInput): void => queueMicrotask(() => !isClosed && onMessage?.(input))
  const advance = (): void => {
    if (!onEnd) return
    for (let entry = script.next(unmatched); entry; entry = script.next(unmatched)) {
      if (entry.closed) {
        if (script.isFinished) settle?.resolve()
        return end()
      }
      deliver(entry.message ? { value: entry.message } : { unreadable: 'syntax' })
    }
    const unexpected = unmatched.find((message) => !script.expects(message))
    if (unexpected) end(new Error(`The recording has no ${describeMessage(unexpected)} at this point`))
    else if (script.isFinished) settle?.resolve()
  }
  return {
    done,
    send(message) {
      if (!onEnd) return
      unmatched.push(JSON.parse(JSON.stringify(message)) as Message)
      advance()
    },
    receive(onReceived, onClose) {
      onMessage = onReceived
      onEnd = onClose
      advance()
    },
    async close() {
      if (!script.isFinished) settle?.reject(new Error('The conversation ended before the end of the recording'))
      isClosed = true
      end()
    },
  }
}

interface Script {
  /** Returns the next entry to send, given the live messages so far. Removes the messages that were expected from `unmatched`. */
  next(unmatched: (Message | Message[])[]): RecordingEntry | undefined
  /** Reports whether the recording still contains a counterpart of a live message. */
  expects(message: Message | Message[]): boolean
  readonly isFinished: boolean
}

/** Steps through the entries of a recording, as the messages of the other side arrive. */
function createScript(entries: readonly RecordingEntry[], direction: RecordingEntry['direction']): Script {
  const remaining = selectEntries(entries, direction)
  const ids = createIdTranslator()
  const methods = new Map<RequestId, string>()

  const matchEntry = (entry: RecordingEntry, unmatched: (Message | Message[])[]): boolean => {
    const { message: recorded } = entry
    const index = recorded ? unmatched.findIndex((live) => matchesRecorded(recorded, live)) : -1
    const [live] = index < 0 ? [] : unmatched.splice(index, 1)
    if (!recorded || !live) return false
    ids.learn(recorded, live)
    for (const message of [recorded].flat()) if (isRequestMessage(message)) methods.set(message.id, message.method)
    return true
  }
  const takeEntry = (index: number): RecordingEntry => {
    const [entry] = remaining.splice(index, 1) as [RecordingEntry]
    return entry.message ? { ...entry, message: ids.translate(entry.message) } : entry
  }
  /** Finds a response to send early: a slower peer than the recorded one waits for it before it sends the next message. */
  const findEarlyResponse = (): number => {
    const [next] = remaining
    if (!next?.message || [next.message].flat().some(isResponseMessage)) return -1
    return remaining.findIndex(
      (entry) => entry.direction === direction && entry.message && !Array.isArray(entry.message) && isDue(entry.message),
    )
  }
  const isDue = (message: Message): boolean => {
    if (!isResponseMessage(message) || message.id === undefined || !ids.isKnown(message.id)) return false
    const method = methods.get(message.id) ?? ''
    return method !== EventMethod.stream && !METHODS.get(method)?.longLived
  }

  return {
    next(unmatched) {
      for (let index = 0; remaining[index] && remaining[index]?.direction !== direction; ) {
        if (matchEntry(remaining[index] as RecordingEntry, unmatched)) remaining.splice(index, 1)
        else index++
      }
      const index = remaining[0]?.direction === direction ? 0 : findEarlyResponse()
      return index < 0 || remaining.length === 0 ? undefined : takeEntry(index)
    },
    expects: (message) =>
      remaining.some((entry) => entry.direction !== direction && entry.message && matchesRecorded(entry.message, message)),
    get isFinished() {
      return remaining.length === 0
    },
  }
}

/** Returns the entries to send or to wait for. Only the side that closed the channel first sends its `closed` entry. */
function selectEntries(entries: readonly RecordingEntry[], direction: RecordingEntry['direction']): RecordingEntry[] {
  const firstClosed = entries.find(({ closed }) => closed)
  return entries.filter((entry) => entry.message || (entry.direction === direction && (!entry.closed || entry === firstClosed)))
}

/** Options of `replayExchange`. */
export interface ReplayExchangeOptions {
  /**
   * True if a recorded request may be used again after all that correspond to a live request were used. A request with the same arguments is
   * preferred. Default: false.
   */
  readonly repeat?: boolean
}

/**
 * Replays the server of a recording as an Exchange. Each request receives the notifications and the response of the first recorded request
 * that corresponds to it and was not used yet. A request without a recorded response stays open until it is aborted.
 *
 * The Exchange rejects if there is no such recorded request.
 */
export function replayExchange(recording: Recording | string, { repeat = false }: ReplayExchangeOptions = {}): Exchange {
  const entries = readRecording(recording)
  const requests = entries.flatMap(({ direction, message }) =>
    direction === 'sent' && message && !Array.isArray(message) && isRequestMessage(message) ? [message] : [],
  )
  const unused = [...requests]
  return async (request, context) => {
    const candidates = unused.filter((one) => matchesRecorded(one, request))
    const recorded =
      (repeat ? candidates.find((one) => hasSameArguments(one, request)) : undefined) ??
      candidates[0] ??
      (repeat ? findUsed(requests, request) : undefined)
    if (recorded && unused.includes(recorded)) unused.splice(unused.indexOf(recorded), 1)
    if (!recorded) throw new Error(`The recording has no unused ${describeMessage(request)}`)
    const ids = createIdTranslator()
    ids.learn(recorded, request)
    for (const message of messagesFor(recorded, entries, requests).map(ids.translate)) {
      if (isResponseMessage(message)) return message
      await send(message, context)
    }
    return rejectOnAbort(context.signal)
  }
}

/** Returns the recorded request that is most like a live one: the last with the same arguments, else the last of the same item. */
function findUsed(requests: readonly Request[], live: Request): Request | undefined {
  const all = requests.filter((recorded) => matchesRecorded(recorded, live))
  return all.findLast((recorded) => hasSameArguments(recorded, live)) ?? all.at(-1)
}

function hasSameArguments({ params: recorded = {} }: Request, { params: live = {} }: Request): boolean {
  return isJsonEqual({ ...recorded, _meta: undefined }, { ...live, _meta: undefined })
}

/** Returns the messages that the server sent for a request, in order. */
function messagesFor({ id }: Request, entries: readonly RecordingEntry[], requests: readonly Request[]): Message[] {
  return entries.flatMap((entry) => {
    const { direction, message } = entry
    if (direction !== 'received' || !message || Array.isArray(message)) return []
    return (isResponseMessage(message) ? message.id : relatedRequestId(entry, requests)) === id ? [message] : []
  })
}

async function send(message: Request | Notification, context: ExchangeContext): Promise<void> {
  if (isRequestMessage(message)) await context.ask?.(message.method, message.params)
  else await context.notify(message)
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function describeMessage(message: Message | Message[]): string {
  const [first] = [message].flat()
  if (!first || isResponseMessage(first)) return `response to ${JSON.stringify(first?.id)}`
  const { name, uri } = first.params ?? {}
  return [first.method, name ?? uri].filter((word) => typeof word === 'string').join(' ')
}
