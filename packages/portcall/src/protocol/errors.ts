import { isStrings } from '../../../util/src/strings.ts'
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { type ErrorBody, isObject, isSuccess, type Response } from '../jsonrpc/message.ts'
import type { ClientCapabilities } from './types.ts'

/** The error codes that MCP defines in addition to those of JSON-RPC. https://modelcontextprotocol.io/specification/2026-07-28/basic */
export const ProtocolErrorCode = {
  /** A header of the HTTP request does not match its body. */
  headerMismatch: -32020,
  /** The request needs a capability that the client did not declare. */
  missingClientCapability: -32021,
  /** The server does not support the protocol version of the request. */
  unsupportedProtocolVersion: -32022,
} as const

/** Codes of drafts, which other implementations use for other errors. A member of `data` identifies the errors of the drafts. */
const DRAFT_CODES: { readonly [code: number]: { readonly member: string; readonly code: number } } = {
  [-32003]: { member: 'requiredCapabilities', code: ProtocolErrorCode.missingClientCapability },
  [-32004]: { member: 'supported', code: ProtocolErrorCode.unsupportedProtocolVersion },
}

/** Replaces the error codes of drafts with those of the newest revision. */
export function readProtocolError(error: ErrorBody): ErrorBody {
  const draft = DRAFT_CODES[error.code]
  return draft && isObject(error.data) && Object.hasOwn(error.data, draft.member) ? { ...error, code: draft.code } : error
}

/** -32020: a header that repeats a part of the body is missing, malformed or different. */
export function headerMismatch(reason: string): RpcError {
  return new RpcError(ProtocolErrorCode.headerMismatch, `Header mismatch: ${reason}`)
}

/** -32021: the request requires a client capability that it does not declare. */
export function missingClientCapability(requiredCapabilities: ClientCapabilities): RpcError {
  const names = Object.keys(requiredCapabilities).join(', ')
  return new RpcError(ProtocolErrorCode.missingClientCapability, `Missing client capability: ${names}`, { requiredCapabilities })
}

/** -32022: the server does not support the protocol version of the request. */
export function unsupportedProtocolVersion(requested: string, supported: readonly string[]): RpcError {
  return new RpcError(ProtocolErrorCode.unsupportedProtocolVersion, 'Unsupported protocol version', { supported, requested })
}

/** -32601: the method does not exist. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(ErrorCode.methodNotFound, `Method not found: ${method.slice(0, 100)}`)
}

/** -32602: the params are invalid. */
export function invalidParams(reason: string, data?: unknown): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params: ${reason}`, data)
}

/** Items that requests name, as messages call them. */
export type NamedKind = 'tool' | 'prompt' | 'resource template' | 'skill' | 'event type'

const MAX_NAME_LENGTH = 256

/** Returns the start of a sentence that says that an item does not exist. */
export function describeUnknown(kind: NamedKind, name: unknown): string {
  return `Unknown ${kind}: ${String(name).slice(0, MAX_NAME_LENGTH)}`
}

/** -32602: the item does not exist, or is hidden from the caller, who cannot tell one from the other. */
export function unknownItem(kind: NamedKind, name: unknown): RpcError {
  return invalidParams(describeUnknown(kind, name))
}

/** -32602: the resource does not exist. `data.uri` is its URI. */
export function resourceNotFound(uri: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, 'Resource not found', { uri })
}

/**
 * -32600: the caller lacks scopes. `data.requiredScopes` lists all scopes that the request requires. Over HTTP the response has status 403 and a
 * challenge.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-challenge-handling
 */
export function insufficientScope(scopes: readonly string[]): RpcError {
  return new RpcError(ErrorCode.invalidRequest, 'Insufficient scope', { requiredScopes: scopes })
}

/** Returns the required scopes of an `insufficientScope` error, and `undefined` for any other response. */
export function requiredScopes(response: Response): readonly string[] | undefined {
  if (isSuccess(response) || response.error.code !== ErrorCode.invalidRequest) return undefined
  const { data } = response.error
  const scopes = isObject(data) ? data.requiredScopes : undefined
  return isStrings(scopes) ? scopes : undefined
}

/**
 * Marks a tool result that reports invalid arguments. In revisions that respond to invalid arguments with an error, the legacy adapter converts
 * results with this mark. It does not appear in messages.
 */
export const INVALID_ARGUMENTS: unique symbol = Symbol('invalid arguments')

/** Creates the error for a task that does not exist for the caller. */
export function unknownTask(): RpcError {
  return invalidParams('the task does not exist or has expired')
}
