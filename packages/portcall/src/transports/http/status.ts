import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { Response } from '../../jsonrpc/message.ts'
import { ProtocolErrorCode } from '../../protocol/errors.ts'

const BAD_REQUEST = new Set<number>([
  ErrorCode.parseError,
  ErrorCode.invalidRequest,
  ProtocolErrorCode.headerMismatch,
  ProtocolErrorCode.missingClientCapability,
  ProtocolErrorCode.unsupportedProtocolVersion,
])

/**
 * The HTTP status of an answer. An error that a handler made is an answer like any other (200); one that says that the request itself was
 * wrong is not. An unknown method is 404 where the revision says so: in the others, 404 means a lost session.
 */
export function statusOf(response: Response, unknownMethod: 200 | 404): number {
  if (!('error' in response)) return 200
  const { code } = response.error
  return code === ErrorCode.methodNotFound ? unknownMethod : BAD_REQUEST.has(code) ? 400 : 200
}
