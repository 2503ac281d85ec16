import type { ElicitAction } from '../protocol/types.ts'

/** Thrown by a tool: its message is shown to the model as a failed result. Anything else that is thrown stays hidden. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly code = 'TOOL_ERROR'
}

/** Thrown by `call.elicit` and `call.elicitUrl` when the user said no; uncaught, it ends the call with a result that says so. */
export class Declined extends Error {
  override readonly name = 'Declined'
  readonly code = 'DECLINED'
  /** `decline`: the user said no. `cancel`: the user went away without choosing. */
  readonly action: Exclude<ElicitAction, 'accept'>

  constructor(action: Exclude<ElicitAction, 'accept'>) {
    super(action === 'decline' ? 'The user declined to answer' : 'The user dismissed the question')
    this.action = action
  }
}

/** Thrown when a tool took longer than its `timeoutMs`. */
export class ToolTimeout extends Error {
  override readonly name = 'ToolTimeout'
  readonly code = 'TOOL_TIMEOUT'

  constructor(timeoutMs: number) {
    super(`The tool did not finish within ${timeoutMs} ms`)
  }
}

/** Thrown through a handler that has to wait for the user: the call is run again from the top when the answer is there. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired'
  readonly code = 'INPUT_REQUIRED'
}
