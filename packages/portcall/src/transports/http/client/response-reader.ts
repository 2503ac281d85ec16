import { ConnectionLostError, InvalidResponseError } from '../../../jsonrpc/errors.ts'
import {
  classify,
  type ErrorBody,
  exceedsDepth,
  failure,
  type Message,
  type RequestId,
  type Response,
} from '../../../jsonrpc/message.ts'
import { Header } from '../common/headers.ts'
import { isEventStream, isJson } from '../common/media-types.ts'
import type { ReceivedSseEvent } from '../common/sse-decode.ts'
import type { HttpCall } from './http-call.ts'
import { HttpStatusError } from './http-status-error.ts'

/** The position in an event stream, from which the stream can be resumed. */
export interface StreamPosition {
  /** The id of the last event, if it is valid in a header. */
  eventId?: string | undefined
  /** The last reconnection delay that the server sent, in milliseconds. */
  retryDelayMs?: number
}

/** Receives an event of another type than `message`. */
type OnOtherEvent = (event: ReceivedSseEvent, isFirst: boolean) => void

const EVENT_ID = /^[\x20-\x7e]{1,1024}$/

/**
 * Reads the messages of a response: one JSON text or an event stream. In one revision, a text or an event may be an array. Updates `position`;
 * `onOtherEvent` receives events of other types. An unreadable event is reported and skipped; its error is thrown when the stream ends.
 *
 * @throws InvalidResponseError, ConnectionLostError.
 */
export async function* readMessages(
  call: HttpCall,
  position: StreamPosition = {},
  onOtherEvent?: OnOtherEvent,
): AsyncGenerator<Message> {
  const contentType = call.header(Header.contentType)
  if (isJson(contentType)) yield* await readJson(call)
  else if (isEventStream(contentType)) yield* readEvents(call, position, onOtherEvent)
  else {
    call.release()
    throw new InvalidResponseError(
      `${call.displayUrl} responded with HTTP ${call.status} and ${contentType ?? 'no content type'}, which is not an MCP message`,
      { url: call.displayUrl, contentType },
    )
  }
}

/**
 * Reads messages up to the response to a request, and passes earlier messages to `onMessage`. Resolves to `undefined` if the HTTP response
 * ends without it.
 *
 * @throws InvalidResponseError, ConnectionLostError, errors of `onMessage`.
 */
export async function readUntilResponse(
  id: RequestId,
  call: HttpCall,
  { onMessage, position }: { onMessage: (message: Message) => void | Promise<void>; position?: StreamPosition },
): Promise<Response | undefined> {
  // A JSON text is not read through the generator, which would cost several promises.
  const read = isJson(call.header(Header.contentType))
    ? readJson(call)
    : readMessages(call, position, (event, isFirst) => isFirst && refuseEndpoint(event, call))
  const messages = read instanceof Promise ? await read : read
  if (Array.isArray(messages)) {
    for (const message of messages) {
      const response = asResponse(message, id)
      if (response) return response
      await onMessage(message)
    }
    return undefined
  }
  for await (const message of messages) {
    const response = asResponse(message, id)
    if (response) return response
    await onMessage(message)
  }
  return undefined
}

/** @throws InvalidResponseError for the event with which streams of the HTTP+SSE transport begin. They have no messages for a request. */
function refuseEndpoint({ event }: ReceivedSseEvent, { displayUrl }: HttpCall): void {
  if (event === 'endpoint')
    throw new InvalidResponseError(`${displayUrl} answered with the event "endpoint": it is a server of the HTTP+SSE transport`)
}

/** Reads a JSON text; synchronously if all of it has arrived. */
function readJson(call: HttpCall): Message[] | Promise<Message[]> {
  const text = call.text()
  return typeof text === 'string' && !isTooDeep(text, call) ? toMessages(text, call) : readAllJson(text, call)
}

async function readAllJson(arriving: string | Promise<string>, call: HttpCall): Promise<Message[]> {
  const text = await arriving
  return toMessages(isTooDeep(text, call) ? await shorten(text, call) : text, call)
}

function toMessages(text: string, call: HttpCall): Message[] {
  const value = parse(text, call)
  return Array.isArray(value) ? value.map((entry) => toMessage(entry, call)) : [toMessage(value, call)]
}

async function* readEvents(call: HttpCall, position: StreamPosition, onOtherEvent?: OnOtherEvent): AsyncGenerator<Message> {
  let lastError: InvalidResponseError | undefined
  let isFirst = true
  for await (const event of call.events()) {
    if (event.id !== undefined) position.eventId = EVENT_ID.test(event.id) ? event.id : undefined
    if (event.retry !== undefined) position.retryDelayMs = event.retry
    if (event.event && event.event !== 'message') onOtherEvent?.(event, isFirst)
    isFirst = false
    const read = readEvent(isTooDeep(event.data, call) ? { ...event, data: await shorten(event.data, call) } : event, call)
    if (read instanceof InvalidResponseError) {
      lastError = read
      call.reportError(read)
    } else for (const message of read) yield message
  }
  if (lastError) throw lastError
}

/** Returns the messages of an event, which may be none, or an error if it is unreadable. */
function readEvent({ event, data, isMalformed }: ReceivedSseEvent, call: HttpCall): Message[] | InvalidResponseError {
  if (isMalformed) return new InvalidResponseError(`${call.displayUrl} sent an event that is not UTF-8`)
  if ((event && event !== 'message') || !data) return []
  try {
    return toMessages(data, call)
  } catch (error) {
    return error as InvalidResponseError
  }
}

function isTooDeep(text: string | undefined, { limits }: HttpCall): text is string {
  return text !== undefined && exceedsDepth(text, limits.maxJsonDepth)
}

/** Shortens a text that nests too deeply; returns a text that cannot be parsed if the nesting is not that of an item in a list. */
async function shorten(text: string, { limits }: HttpCall): Promise<string> {
  const { shortenDeepItems } = await import('../../../protocol/deep-items.ts')
  return shortenDeepItems(text, limits.maxJsonDepth) ?? TOO_DEEP
}

const TOO_DEEP = 'an array or object that is nested too deeply'

function parse(text: string, call: HttpCall): unknown {
  try {
    return call.parseJson(text)
  } catch {
    throw new InvalidResponseError(`${call.displayUrl} sent invalid JSON: ${text.slice(0, 100)}`)
  }
}

function toMessage(value: unknown, call: HttpCall): Message {
  const received = classify(value)
  if (received.kind === 'invalid')
    throw new InvalidResponseError(`${call.displayUrl} sent an invalid JSON-RPC message: ${received.error.message}`)
  return received.message
}

/** Returns the message if it is the response to the request. An error without an id counts as the response too. */
function asResponse(message: Message, id: RequestId): Response | undefined {
  if ('method' in message) return undefined
  if (message.id === undefined) return { ...message, id }
  return message.id === id ? message : undefined
}

/** The client errors whose status matters more than a JSON-RPC error in the body: authorization, timeouts, overload. */
const STATUS_ERRORS = new Set([401, 403, 407, 408, 425, 429])

/**
 * Reads an HTTP error response and returns the JSON-RPC error in its body.
 *
 * @throws HttpStatusError when the body is not a JSON-RPC error, and for statuses that require an action of their own.
 */
export async function readErrorResponse(call: HttpCall, id: RequestId): Promise<Response> {
  const statusError = await readStatusError(call)
  const { status, error } = statusError
  if (error && status >= 400 && status < 500 && !STATUS_ERRORS.has(status)) return failure(id, error)
  throw statusError
}

/** Reads an HTTP error response. */
export async function readStatusError(call: HttpCall): Promise<HttpStatusError> {
  const { status, header, displayUrl } = call
  const body = await call.excerpt()
  const error = isJson(header(Header.contentType)) ? readErrorBody(body, call) : undefined
  return new HttpStatusError(displayUrl, { status, header, body, error })
}

function readErrorBody(body: string, call: HttpCall): ErrorBody | undefined {
  if (isTooDeep(body, call)) return undefined
  try {
    const message = toMessage(parse(body, call), call)
    return 'error' in message ? message.error : undefined
  } catch {
    return undefined
  }
}

/** Creates the error of an HTTP response that ended without the expected JSON-RPC response. */
export function endedWithoutResponse(call: HttpCall): ConnectionLostError {
  return new ConnectionLostError(`${call.displayUrl} ended the HTTP response before it sent the result`, { url: call.displayUrl })
}
