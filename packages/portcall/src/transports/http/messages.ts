import { exceedsDepth } from '../../jsonrpc/depth.ts'
import { ConnectionLost, UnreadableAnswer } from '../../jsonrpc/errors.ts'
import { classify, type ErrorBody, failure, type Message, type RequestId, type Response } from '../../jsonrpc/message.ts'
import type { Call } from './call.ts'
import { Header } from './headers.ts'
import { HttpStatusError } from './http-status-error.ts'
import { isEventStream, isJson } from './media.ts'
import type { ReceivedEvent } from './sse-decode.ts'

/** Where a stream has got to, for whoever comes back to it. */
export interface Position {
  /** The id of the last event, if it is one that can be sent back. */
  eventId?: string | undefined
  /** How long to stay away, in milliseconds, as the server has last said. */
  retryMs?: number
}

const EVENT_ID = /^[\x20-\x7e]{1,1024}$/

/**
 * Reads an answer as messages, whichever of the two forms it has: one JSON text (in one revision maybe an array), or events. `position`
 * follows along, and `onOther` gets the events of other types. What cannot be read is reported and skipped; when the stream ends and more was
 * wanted, it is thrown.
 *
 * @throws UnreadableAnswer, ConnectionLost.
 */
export async function* readMessages(
  call: Call,
  position: Position = {},
  onOther?: (event: ReceivedEvent) => void,
): AsyncGenerator<Message> {
  const contentType = call.header(Header.contentType)
  if (isJson(contentType)) yield* await readWhole(call)
  else if (isEventStream(contentType)) yield* readEvents(call, position, onOther)
  else {
    call.release()
    throw new UnreadableAnswer(
      `${call.where} answered with HTTP ${call.status} and ${contentType ?? 'no content type'}: this is no MCP message`,
    )
  }
}

/**
 * Reads an answer as messages up to the response to a request; what comes before that is taken by `take`. Resolves to nothing when it
 * ends without. One JSON text is not read message by message.
 *
 * @throws UnreadableAnswer, ConnectionLost, what `take` throws.
 */
export async function readUpTo(
  id: RequestId,
  call: Call,
  { take, position }: { take: (message: Message) => void | Promise<void>; position?: Position },
): Promise<Response | undefined> {
  if (isJson(call.header(Header.contentType))) {
    for (const message of await readWhole(call)) {
      const answer = asAnswer(message, id)
      if (answer) return answer
      await take(message)
    }
    return undefined
  }
  for await (const message of readMessages(call, position)) {
    const answer = asAnswer(message, id)
    if (answer) return answer
    await take(message)
  }
  return undefined
}

/** Reads an answer that is one JSON text. @throws UnreadableAnswer, ConnectionLost. */
async function readWhole(call: Call): Promise<Message[]> {
  const value = parse(await call.text(), call)
  return Array.isArray(value) ? value.map((entry) => readMessage(entry, call)) : [readMessage(value, call)]
}

async function* readEvents(call: Call, position: Position, onOther?: (event: ReceivedEvent) => void): AsyncGenerator<Message> {
  let fault: UnreadableAnswer | undefined
  for await (const event of call.events()) {
    if (event.id !== undefined) position.eventId = EVENT_ID.test(event.id) ? event.id : undefined
    if (event.retry !== undefined) position.retryMs = event.retry
    if (event.event && event.event !== 'message') onOther?.(event)
    const message = readEvent(event, call)
    if (message instanceof UnreadableAnswer) call.report((fault = message))
    else if (message) yield message
  }
  if (fault) throw fault
}

/** The message of an event, if it is for us and has one. */
function readEvent({ event, data, unreadable }: ReceivedEvent, call: Call): Message | UnreadableAnswer | undefined {
  if (unreadable) return new UnreadableAnswer(`${call.where} sent an event that is not UTF-8`)
  if ((event && event !== 'message') || !data) return undefined
  try {
    return readMessage(parse(data, call), call)
  } catch (error) {
    return error as UnreadableAnswer
  }
}

function parse(text: string, call: Call): unknown {
  if (exceedsDepth(text, call.limits.maxJsonDepth))
    throw new UnreadableAnswer(`${call.where} answered with JSON that is nested too deeply`)
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableAnswer(`${call.where} answered with something that is not JSON: ${text.slice(0, 100)}`)
  }
}

function readMessage(value: unknown, call: Call): Message {
  const received = classify(value)
  if (received.kind === 'invalid')
    throw new UnreadableAnswer(`${call.where} answered with no JSON-RPC message: ${received.error.message}`)
  return received.message
}

/** The answer to a request, if a message is that; an error that names no request answers the one that is waited for. */
function asAnswer(message: Message, id: RequestId): Response | undefined {
  if ('method' in message) return undefined
  if (message.id === undefined) return { ...message, id }
  return message.id === id ? message : undefined
}

/** Wants authorization, is busy, or is out of order: whoever calls has to know the status, whatever else was said. */
const TELLING = new Set([401, 403, 407, 408, 425, 429])

/**
 * Reads an answer that is an HTTP error. When its body is a JSON-RPC error, that is the answer to the request.
 *
 * @throws HttpStatusError when it is none, or when the status alone says what to do: it wants authorization, or is out of order.
 */
export async function readFailure(call: Call, id: RequestId): Promise<Response> {
  const fault = await readStatus(call)
  const { status, error } = fault
  if (error && status >= 400 && status < 500 && !TELLING.has(status)) return failure(id, error)
  throw fault
}

/** Reads an answer whose status says that something is wrong. */
export async function readStatus(call: Call): Promise<HttpStatusError> {
  const { status, header, where } = call
  const body = await call.excerpt()
  const error = isJson(header(Header.contentType)) ? readError(body, call) : undefined
  return new HttpStatusError(where, { status, header, body, error })
}

function readError(body: string, call: Call): ErrorBody | undefined {
  try {
    const message = readMessage(parse(body, call), call)
    return 'error' in message ? message.error : undefined
  } catch {
    return undefined
  }
}

/** Makes the error for a stream that ended before the answer came. */
export function unanswered(call: Call): ConnectionLost {
  return new ConnectionLost(`${call.where} ended its answer before the response came`)
}
