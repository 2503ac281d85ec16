import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response } from '../jsonrpc/message.ts'
import { refusedBy } from '../jsonrpc/refusal.ts'
import { CALLER_SESSION } from '../protocol/caller-identity.ts'
import { MetaKey } from '../protocol/meta.ts'
import { SUPPORTED_VERSIONS } from '../protocol/revisions.ts'

/** The subject of a request, as traces, metrics and logs name it. */
export interface TracedOperation {
  /** The method, such as `tools/call`. */
  readonly method: string
  /** The kind of item that `target` names. Absent if the request concerns no single item. */
  readonly kind: 'tool' | 'prompt' | 'resource' | undefined
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target: string | undefined
}

/** How a request ended. */
export interface Outcome {
  /** The class of the error: a JSON-RPC error code, `tool_error`, or the name of what was thrown. Absent if the request succeeded. */
  readonly errorType?: string
  /** The JSON-RPC error code. */
  readonly code?: number
  /** The message of the error. */
  readonly message?: string
  /** A limit refused the request, whether or not what it names exists. */
  readonly isRefused?: true
}

/** The kind of item that a method concerns, and the param that names it. */
const TARGETS: { readonly [method: string]: readonly [kind: NonNullable<TracedOperation['kind']>, param: string] } = {
  'tools/call': ['tool', 'name'],
  'prompts/get': ['prompt', 'name'],
  'resources/read': ['resource', 'uri'],
  'resources/subscribe': ['resource', 'uri'],
  'resources/unsubscribe': ['resource', 'uri'],
}

const MAX_TARGET_LENGTH = 256

/** Returns what a request is about. */
export function operationOf({ method, params }: Pick<Request, 'method' | 'params'>): TracedOperation {
  const [kind, param = ''] = Object.hasOwn(TARGETS, method) ? (TARGETS[method] ?? []) : []
  const target = kind && params?.[param]
  if (typeof target !== 'string') return { method, kind: undefined, target: undefined }
  return { method, kind, target: target.slice(0, MAX_TARGET_LENGTH) }
}

/** The outcome of a request that succeeded. */
export const SUCCEEDED: Outcome = {}
const TOOL_ERROR: Outcome = { errorType: 'tool_error' }
const REFUSED: Outcome = { ...TOOL_ERROR, isRefused: true }

/** Returns how a request ended that has a response. */
export function outcomeOf(response: Response): Outcome {
  if (isSuccess(response)) {
    if (response.result.isError !== true) return SUCCEEDED
    return refusedBy(response) === undefined ? TOOL_ERROR : REFUSED
  }
  const { code, message } = response.error
  return { errorType: String(code), code, message }
}

/** Returns how a request ended that has no response because of `error`. */
export function thrownOutcome(error: unknown): Outcome {
  if (!(error instanceof Error)) return { errorType: '_OTHER' }
  const code = 'code' in error && typeof error.code === 'number' ? error.code : undefined
  return {
    errorType: code === undefined ? error.name : String(code),
    message: error.message,
    ...(code !== undefined && { code }),
  }
}

/** The codes that blame the caller: parse error, invalid request, method not found, invalid params, resource not found. */
const CALLER_ERRORS: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32002])

/** Returns an outcome as the side that answers counts it: an error that the caller made is a code, but not an error of this side. */
export function answeredOutcome(outcome: Outcome): Outcome {
  const { code } = outcome
  return code !== undefined && CALLER_ERRORS.has(code) ? { code } : outcome
}

/** Returns the `_meta` of a request. */
export function metaOf({ params }: Pick<Request, 'params'>): JsonObject {
  return isObject(params?._meta) ? params._meta : {}
}

/** Where a request came from: the protocol version and the session of its client. */
export interface RequestOrigin {
  /** The protocol version. Empty if the request names none that exists: a caller must not be able to create any number of time series. */
  readonly protocolVersion: string
  /** The id of the HTTP session. */
  readonly sessionId: string | undefined
  /** The way by which the request arrived: HTTP, a pipe, or the same process. */
  readonly transport: 'http' | 'stdio' | 'memory'
  /** The version of HTTP, if it is known. */
  readonly httpVersion?: string | undefined
}

/** Returns where a request that a server received came from. */
export function originOf(meta: { readonly [CALLER_SESSION]?: unknown } & JsonObject, context: ExchangeContext): RequestOrigin {
  const session = meta[CALLER_SESSION]
  const { http } = context
  const transport = http ? 'http' : session !== undefined || context.ask ? 'stdio' : 'memory'
  const version = isObject(session) ? session.revision : meta[MetaKey.protocolVersion]
  return {
    protocolVersion: typeof version === 'string' && SUPPORTED_VERSIONS.includes(version) ? version : '',
    sessionId: session === undefined ? undefined : http?.header('mcp-session-id'),
    transport,
    httpVersion: http?.httpVersion,
  }
}
