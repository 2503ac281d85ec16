import { PortcallError } from '../../../util/src/errors.ts'
import type { ElicitAction } from '../protocol/input-types.ts'
import type { Issue } from '../schema/standard.ts'

/** Thrown by a tool to report a failure to the model, which sees the message. Messages of other errors are never sent to clients. */
export class ToolError extends PortcallError {
  override readonly name = 'ToolError'
  readonly code = 'TOOL_ERROR'
}

/**
 * Thrown by `call.elicit` and `call.elicitUrl` when the user declines or cancels. If a tool does not catch it, the result is an error with
 * this message.
 */
export class ElicitationDeclinedError extends PortcallError {
  override readonly name = 'ElicitationDeclinedError'
  readonly code = 'ELICITATION_DECLINED'
  /** `decline`: the user declined explicitly. `cancel`: the user dismissed the request without a choice. */
  readonly action: Exclude<ElicitAction, 'accept'>

  /** The message says whether the user declined or dismissed the request. */
  constructor(action: Exclude<ElicitAction, 'accept'>) {
    super(action === 'decline' ? 'The user declined to answer' : 'The user dismissed the question')
    this.action = action
  }
}

/** The abort reason of a tool that ran longer than its `timeoutMs`. */
export class ToolTimeoutError extends PortcallError {
  override readonly name = 'ToolTimeoutError'
  readonly code = 'TOOL_TIMEOUT'

  /** `timeoutMs` is the time that the tool had, in milliseconds. */
  constructor(timeoutMs: number) {
    super(`The tool did not finish within ${timeoutMs} ms`)
  }
}

/** Thrown to suspend a handler that waits for client input. Do not catch it: the handler runs again from the start with the response. */
export class InputRequiredError extends PortcallError {
  override readonly name = 'InputRequiredError'
  readonly code = 'INPUT_REQUIRED'
}

/** Thrown when a handler returns a value that cannot be converted to a result. This is a bug in the server, not a client error. */
export class InvalidOutputError extends PortcallError {
  override readonly name = 'InvalidOutputError'
  readonly code = 'INVALID_OUTPUT'
  readonly issues: readonly Issue[]

  constructor(message: string, issues: readonly Issue[] = []) {
    super([message, ...issues.map(({ path, message }) => `/${path.join('/')}: ${message}`)].join('\n'))
    this.issues = issues
  }
}
