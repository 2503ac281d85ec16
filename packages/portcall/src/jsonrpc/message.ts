/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue | undefined }

/** A JSON object as it comes from a parser: string keys, values not yet looked at. */
export type JsonObject = { [key: string]: unknown }

/** The id of a request. `1` and `"1"` are two different ids. */
export type RequestId = string | number

/** A call that wants an answer. */
export interface Request<P = JsonObject | undefined> {
  jsonrpc: '2.0'
  id: RequestId
  method: string
  params?: P
}

/** A message that is never answered. */
export interface Notification<P = JsonObject | undefined> {
  jsonrpc: '2.0'
  method: string
  params?: P
}

/** The answer to a request that was carried out. */
export interface Success {
  jsonrpc: '2.0'
  id: RequestId
  result: JsonObject
}

/** The body of an error answer. */
export interface ErrorBody {
  code: number
  message: string
  data?: unknown
}

/** The answer to a request that failed; without `id` when the request could not be read. */
export interface Failure {
  jsonrpc: '2.0'
  id?: RequestId
  error: ErrorBody
}

/** The answer to a request. https://www.jsonrpc.org/specification#response_object */
export type Response = Success | Failure
/** What crosses the wire. https://www.jsonrpc.org/specification */
export type Message = Request | Notification | Response

/** What a received JSON value is, as far as JSON-RPC can tell. */
export type Classified =
  | { kind: 'request'; message: Request }
  | { kind: 'notification'; message: Notification }
  | { kind: 'response'; message: Response }
  | { kind: 'invalid'; error: ErrorBody; id?: RequestId; silent?: true }

type Invalid = Extract<Classified, { kind: 'invalid' }>

const INVALID_REQUEST = -32600
const INVALID_PARAMS = -32602
const VERSION_FAULT = '"jsonrpc" has to be "2.0"'

/** Tells whether a value is a legal request id: a string or an integer that a double can hold exactly. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** Tells whether a value is an object in JSON's sense: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Tells a success from a failure. */
export function isSuccess(response: Response): response is Success {
  return 'result' in response
}

/**
 * Sorts a parsed JSON value into request, notification, response or invalid message (JSON-RPC 2.0, sections 4 and 5).
 * An invalid message keeps its id when that could be read, so that the error answer can name it. It is `silent` when it is a
 * notification or a response in all but the details: those are never answered, whatever is wrong with them.
 */
export function classify(value: unknown): Classified {
  if (!isObject(value)) return invalid('a message is a JSON object')
  const isCall = typeof value.method === 'string'
  if (!isCall && ('result' in value || 'error' in value)) return classifyResponse(value)
  if (value.jsonrpc !== '2.0') return invalid(VERSION_FAULT, value.id)
  return isCall ? classifyCall(value) : invalid('a message has a "method", a "result" or an "error"', value.id)
}

function classifyCall(value: JsonObject): Classified {
  const { params } = value
  const hasId = 'id' in value
  if (hasId && !isRequestId(value.id)) return invalid('"id" has to be a string or an integer')
  if (params === null) delete value.params
  else if (params !== undefined && !isObject(params)) {
    const found = invalid('"params" has to be an object', value.id, INVALID_PARAMS)
    return hasId ? found : { ...found, silent: true }
  }
  return hasId
    ? { kind: 'request', message: value as unknown as Request }
    : { kind: 'notification', message: value as unknown as Notification }
}

function classifyResponse(value: JsonObject): Classified {
  if (value.id === null) delete value.id
  const fault = findResponseFault(value)
  return fault === undefined ? { kind: 'response', message: value as unknown as Response } : { ...invalid(fault), silent: true }
}

function findResponseFault(value: JsonObject): string | undefined {
  if (value.jsonrpc !== '2.0') return VERSION_FAULT
  if ('id' in value ? !isRequestId(value.id) : 'result' in value) return '"id" has to be a string or an integer'
  if ('error' in value ? !('result' in value) && isErrorBody(value.error) : isObject(value.result)) return undefined
  return 'a response has either an object "result" or an "error" with "code" and "message"'
}

function isErrorBody(value: unknown): boolean {
  return isObject(value) && Number.isInteger(value.code) && typeof value.message === 'string'
}

function invalid(reason: string, id?: unknown, code: number = INVALID_REQUEST): Invalid {
  const error = { code, message: `Invalid ${code === INVALID_PARAMS ? 'params' : 'request'}: ${reason}` }
  return isRequestId(id) ? { kind: 'invalid', error, id } : { kind: 'invalid', error }
}

/** Makes the answer to a request that was carried out. */
export function success(id: RequestId, result: JsonObject): Success {
  return { jsonrpc: '2.0', id, result }
}

/** Makes the answer to a request that failed; `id` stays out when it is not known. */
export function failure(id: RequestId | undefined, error: ErrorBody): Failure {
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error }
}

/** Makes a notification. */
export function notification(method: string, params?: JsonObject): Notification {
  return params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }
}
