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

const FIRST_FINAL = 200
const LAST = 599

/** Takes a status that somebody else has chosen. @throws RangeError when it is none of an answer. */
export function checkedStatus(status: number): number {
  if (Number.isInteger(status) && status >= FIRST_FINAL && status <= LAST) return status
  throw new RangeError(`The status of an answer is an integer from ${FIRST_FINAL} to ${LAST}, not ${status}`)
}

/**
 * The HTTP status of an answer of the stateless era. An error that a handler made is an answer like any other (200); one that says that
 * the request itself was wrong is not. In the legacy era all answers are 200: there, clients take a status for the state of the
 * connection or of the session.
 */
export function statusOf(response: Response): number {
  if (!('error' in response)) return 200
  const { code } = response.error
  return code === ErrorCode.methodNotFound ? 404 : BAD_REQUEST.has(code) ? 400 : 200
}
