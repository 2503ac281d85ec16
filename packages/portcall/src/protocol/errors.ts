import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { type ErrorBody, isObject, isSuccess, type Response } from '../jsonrpc/message.ts'
import type { ClientCapabilities } from './types.ts'

/** Codes that the protocol adds to those of JSON-RPC. https://modelcontextprotocol.io/specification/2026-07-28/basic */
export const ProtocolErrorCode = {
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const

/** The codes of drafts, which others use for something else: the member of `data` tells that they mean what is meant here. */
const DRAFTS: { readonly [code: number]: { readonly member: string; readonly code: number } } = {
  [-32003]: { member: 'requiredCapabilities', code: ProtocolErrorCode.missingClientCapability },
  [-32004]: { member: 'supported', code: ProtocolErrorCode.unsupportedProtocolVersion },
}

/** Reads an error as one of the newest revision, which its sender may know as a draft only. */
export function readProtocolError(error: ErrorBody): ErrorBody {
  const draft = DRAFTS[error.code]
  return draft && isObject(error.data) && draft.member in error.data ? { ...error, code: draft.code } : error
}

/** -32020: a header that mirrors the body is missing, malformed or different. */
export function headerMismatch(reason: string): RpcError {
  return new RpcError(ProtocolErrorCode.headerMismatch, `Header mismatch: ${reason}`)
}

/** -32021: what was called needs a capability that this request did not declare. */
export function missingClientCapability(requiredCapabilities: ClientCapabilities): RpcError {
  const names = Object.keys(requiredCapabilities).join(', ')
  return new RpcError(ProtocolErrorCode.missingClientCapability, `Missing client capability: ${names}`, { requiredCapabilities })
}

/** -32022: the version of the request is not served. */
export function unsupportedProtocolVersion(requested: string, supported: readonly string[]): RpcError {
  return new RpcError(ProtocolErrorCode.unsupportedProtocolVersion, 'Unsupported protocol version', { supported, requested })
}

/** -32601: no such method here. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(ErrorCode.methodNotFound, `Method not found: ${method.slice(0, 100)}`)
}

/** -32602: the params do not fit. */
export function invalidParams(reason: string, data?: unknown): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params: ${reason}`, data)
}

/** -32602 with the URI: no such resource. */
export function resourceNotFound(uri: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, 'Resource not found', { uri })
}

/**
 * -32600: the caller lacks scopes. `data.requiredScopes` has all that the request needs. Over HTTP it is answered with 403 and a challenge.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-challenge-handling
 */
export function insufficientScope(scopes: readonly string[]): RpcError {
  return new RpcError(ErrorCode.invalidRequest, 'Insufficient scope', { requiredScopes: scopes })
}

/** The scopes that a request needs which was refused for lack of them. */
export function requiredScopes(response: Response): readonly string[] | undefined {
  if (isSuccess(response) || response.error.code !== ErrorCode.invalidRequest) return undefined
  const { data } = response.error
  const scopes = isObject(data) ? data.requiredScopes : undefined
  return Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string') ? scopes : undefined
}

/**
 * Marks a tool result as the answer to arguments that do not fit the input schema. The mark is not part of the message: revisions that
 * answer such calls with an error can tell them from other failures of a tool.
 */
export const INVALID_ARGUMENTS: unique symbol = Symbol('invalid arguments')
