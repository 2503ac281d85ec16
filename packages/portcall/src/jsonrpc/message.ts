import { isImmutable, SharedBody, stringify } from '../../../util/src/memo.ts'

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue | undefined }

/** A JSON object whose members are unchecked. */
export type JsonObject = { [key: string]: unknown }

/** The id of a request. `1` and `"1"` are different ids. */
export type RequestId = string | number

/** A call that expects a response. */
export interface Request<P = JsonObject | undefined> {
  /** The version of JSON-RPC. */
  jsonrpc: '2.0'
  /** Identifies the request; its response has the same id. */
  id: RequestId
  /** The name of the method. */
  method: string
  /** The params of the method, an object. */
  params?: P
}

/** A call without a response. */
export interface Notification<P = JsonObject | undefined> {
  /** The version of JSON-RPC. */
  jsonrpc: '2.0'
  /** The name of the notification. */
  method: string
  /** The params of the notification, an object. */
  params?: P
}

/** The response to a request that succeeded. */
export interface Success {
  /** The version of JSON-RPC. */
  jsonrpc: '2.0'
  /** The id of the request. */
  id: RequestId
  /** The result of the method. */
  result: JsonObject
}

/** The `error` member of a response. */
export interface ErrorBody {
  /** The error code: one of `ErrorCode`, of `ProtocolErrorCode`, or one of the application. */
  code: number
  /** A short description, in one sentence. */
  message: string
  /** Additional data about the error. */
  data?: unknown
}

/** The response to a request that failed. It has no `id` if the request could not be read. */
export interface Failure {
  /** The version of JSON-RPC. */
  jsonrpc: '2.0'
  /** The id of the request. Absent if it could not be read. */
  id?: RequestId
  /** The error. */
  error: ErrorBody
}

/** The response to a request. https://www.jsonrpc.org/specification#response_object */
export type Response = Success | Failure
/** A JSON-RPC message. https://www.jsonrpc.org/specification */
export type Message = Request | Notification | Response

/** A received JSON value with the kind of message that it is. */
export type ClassifiedMessage =
  | { kind: 'request'; message: Request }
  | { kind: 'notification'; message: Notification }
  | { kind: 'response'; message: Response }
  | { kind: 'invalid'; error: ErrorBody; id?: RequestId; silent?: true }

type InvalidMessage = Extract<ClassifiedMessage, { kind: 'invalid' }>

const INVALID_REQUEST = -32600
const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
const INVALID_VERSION = '"jsonrpc" must be "2.0"'
const INVALID_ID = '"id" must be a string or an integer'

/** Reports whether a value is a valid request id: a string, or an integer that a double represents exactly. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** Reports whether a value is a JSON object: neither `null` nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reports whether a response carries a result rather than an error. */
export function isSuccess(response: Response): response is Success {
  return 'result' in response
}

/**
 * Classifies a JSON value as a request, notification, response or invalid message (JSON-RPC 2.0, sections 4 and 5). `params: null`, a
 * `null` id in a response, and a `result` or `error` that is null next to the other one are removed from the value. An `error` that is a
 * text, or has no integer code, gets the code -32603.
 *
 * An invalid message has the `id` for the error response, if it is readable. It is `silent` if it can only be meant as a notification or a
 * response, which are never answered.
 */
export function classify(value: unknown): ClassifiedMessage {
  if (!isObject(value)) return invalid('a message must be a JSON object')
  const { id, method, params } = value
  const isCall = typeof method === 'string'
  if (!isCall && ('result' in value || 'error' in value)) return classifyResponse(value)
  if (value.jsonrpc !== '2.0') return invalid(INVALID_VERSION, id)
  if (!isCall) return invalid('a message must have a "method", a "result" or an "error"', id)
  const hasId = 'id' in value
  if (hasId && typeof id !== 'string' && !Number.isSafeInteger(id)) return invalid(INVALID_ID)
  if (params === null) delete value.params
  else if (params !== undefined && !isObject(params)) {
    const classified = invalid('"params" must be an object', id, INVALID_PARAMS)
    return hasId ? classified : { ...classified, silent: true }
  }
  return hasId
    ? { kind: 'request', message: value as unknown as Request }
    : { kind: 'notification', message: value as unknown as Notification }
}

function classifyResponse(value: JsonObject): ClassifiedMessage {
  if (value.id === null) delete value.id
  removeUnusedOutcome(value)
  if ('error' in value) value.error = repairError(value.error)
  const fault = findResponseFault(value)
  return fault === undefined ? { kind: 'response', message: value as unknown as Response } : { ...invalid(fault), silent: true }
}

/** Removes a member `result` or `error` that is null next to the other one, as serializers of optional members write it. */
function removeUnusedOutcome(value: JsonObject): void {
  if (value.error === null && isObject(value.result)) delete value.error
  else if (value.result === null && 'error' in value && value.error !== null) delete value.result
}

/** Returns an error that says why as an error of the standard form: some servers send only a text, no code, or a code that is a text. */
function repairError(error: unknown): unknown {
  const { code, message, ...rest } = isObject(error) ? error : { message: error }
  if (typeof message !== 'string' || message.trim() === '' || Number.isInteger(code)) return error
  const isNumber = typeof code === 'string' && /^-?\d{1,9}$/.test(code)
  return { ...rest, code: isNumber ? Number(code) : INTERNAL_ERROR, message }
}

function findResponseFault(value: JsonObject): string | undefined {
  if (value.jsonrpc !== '2.0') return INVALID_VERSION
  if ('id' in value ? !isRequestId(value.id) : 'result' in value) return INVALID_ID
  if ('error' in value ? !('result' in value) && isErrorBody(value.error) : isObject(value.result)) return undefined
  return 'a response must have either an object "result" or an "error" with "code" and "message"'
}

function isErrorBody(value: unknown): boolean {
  return isObject(value) && Number.isInteger(value.code) && typeof value.message === 'string'
}

function invalid(reason: string, id?: unknown, code: number = INVALID_REQUEST): InvalidMessage {
  const error = { code, message: `Invalid ${code === INVALID_PARAMS ? 'params' : 'request'}: ${reason}` }
  return isRequestId(id) ? { kind: 'invalid', error, id } : { kind: 'invalid', error }
}

/** Parses a JSON text. @throws an error for one that is invalid. */
export type ParseJson = (text: string) => unknown

/** Creates the response to a request that succeeded. */
export function success(id: RequestId, result: JsonObject): Success {
  return { jsonrpc: '2.0', id, result }
}

/** Creates the response to a request that failed. `id` is `undefined` if the request could not be read. */
export function failure(id: RequestId | undefined, error: ErrorBody): Failure {
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error }
}

/** Creates a notification. */
export function notification(method: string, params?: JsonObject): Notification {
  return params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }
}

/**
 * Returns the JSON text of a message. The members that all messages share are written by hand, which is faster, and an immutable result is
 * serialized only once.
 */
export function stringifyMessage(message: Message | Message[]): string {
  if ('result' in message) return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${stringify(message.result)}}`
  if (!('method' in message) || 'id' in message || message.params === undefined) return JSON.stringify(message)
  return `${notificationPrefix(message.method)}${JSON.stringify(message.params)}}`
}

/** Shorter texts are copied and encoded faster than they are sent in parts. */
const MIN_SHARED_LENGTH = 64 * 1024

/** Returns the JSON text of a response. A long result that is immutable stays a part of its own. */
export function stringifyResult({ id, result }: Success): string | SharedBody {
  const before = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
  const text = stringify(result)
  const isShared = text.length >= MIN_SHARED_LENGTH && isImmutable(result)
  return isShared ? new SharedBody(before, result, '}') : `${before}${text}}`
}

/** The start of the JSON text of the last notification. Notifications of one method often come in series. */
let lastPrefix: { method?: string; text: string } = { text: '' }

function notificationPrefix(method: string): string {
  if (method !== lastPrefix.method) lastPrefix = { method, text: `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":` }
  return lastPrefix.text
}

const QUOTE = 34
const OPENING = 0x7b
const CLOSING = 0x7d
const CASE_BIT = 0x20

/**
 * Reports whether a JSON text nests arrays and objects deeper than `max`, without parsing it. Takes linear time, and hardly any if the text
 * is short or has few brackets. The result for invalid JSON is arbitrary, because the parser rejects it anyway.
 */
export function exceedsDepth(text: string, max: number): boolean {
  if (text.length <= 2 * max) return false
  let brackets = 0
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++brackets > max) return scanDepth(text, max)
  return false
}

/** Counts the brackets outside of strings. `[` and `{` differ in one bit, and so do `]` and `}`. */
function scanDepth(text: string, max: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if ((code | CASE_BIT) === OPENING && ++depth > max) return true
    else if ((code | CASE_BIT) === CLOSING) depth--
  }
  return false
}

/** Returns the index after the JSON array or object that starts at `start`. */
export function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if ((code | CASE_BIT) === OPENING) depth++
    else if ((code | CASE_BIT) === CLOSING && --depth === 0) return at + 1
  }
  return text.length
}

/** Returns the index of the quote that ends the JSON string starting at `start`. */
export function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at < 0 ? text.length : at
}

function isEscaped(text: string, quote: number): boolean {
  let result = false
  for (let at = quote; text[at - 1] === '\\'; at--) result = !result
  return result
}
