import { describe } from '../../../util/src/describe.ts'
import { type ErrorAdvice, PortcallError } from '../../../util/src/errors.ts'
import type { CallToolResult } from '../protocol/types.ts'
import type { Issue } from '../schema/standard.ts'

/** Thrown when a request takes longer than one of its timeouts. The server is notified of the cancellation. */
export class TimeoutError extends PortcallError {
  override readonly name = 'TimeoutError'
  readonly code = 'TIMEOUT'
  /** The method of the request. */
  readonly method: string
  /** The time that has passed, in milliseconds. */
  readonly timeoutMs: number
  /** Names the option that sets the timeout. */
  declare readonly advice?: ErrorAdvice

  /** `option` is the one that sets the timeout. */
  constructor(method: string, timeoutMs: number, option?: string) {
    const reason = `${method} received no response within ${timeoutMs} ms`
    super(option === undefined ? reason : `${reason} (${option})`)
    this.method = method
    this.timeoutMs = timeoutMs
    if (option !== undefined) this.advice = { situation: 'timeout', reason, text: option }
  }
}

/** Thrown when a response is valid JSON-RPC but its result does not conform to MCP. */
export class InvalidResultError extends PortcallError {
  override readonly name = 'InvalidResultError'
  readonly code = 'INVALID_RESULT'
  /** The validation errors, if the result was checked against a schema. */
  readonly issues: readonly Issue[]
  /** The result of the tool, if its structured content is what does not conform. The tool has done its work. */
  readonly result?: CallToolResult

  /** The message ends with one line per issue: its JSON pointer and what is wrong. */
  constructor(message: string, issues: readonly Issue[] = [], result?: CallToolResult) {
    super([message, ...issues.map((issue) => `/${issue.path.join('/')}: ${issue.message}`)].join('\n'))
    this.issues = issues
    if (result) this.result = result
  }
}

/** Thrown when a call requires input and its input handler is missing or throws. The error of the handler is the `cause`. */
export class InputHandlerError extends PortcallError {
  override readonly name = 'InputHandlerError'
  readonly code = 'INPUT_HANDLER_FAILED'
}

/** Thrown when an extension is used that the server does not declare. */
export class ExtensionUnsupportedError extends PortcallError {
  override readonly name = 'ExtensionUnsupportedError'
  readonly code = 'EXTENSION_UNSUPPORTED'

  /** `id` is that of the extension, such as `io.modelcontextprotocol/tasks`. */
  constructor(id: string) {
    super(`The server does not support the extension ${id}`)
  }
}

/** Thrown when a client is used after it was closed, or after its server ended and cannot be restarted. */
export class ClientClosedError extends PortcallError {
  override readonly name = 'ClientClosedError'
  readonly code = 'CLIENT_CLOSED'
  /** A retry does not help: the client is closed for good. */
  readonly retryable = false
}

/** @throws TypeError when the first argument of a method is not a string, as in other libraries, where it is an object. */
export function assertStringArgument(value: unknown, usage: string): void {
  if (typeof value !== 'string') throw new TypeError(`${usage}: the first argument must be a string, not ${typeof value}`)
}

/** @throws TypeError when an argument of a method is not an object. Texts are not shown. */
export function assertObjectArgument(value: unknown, usage: string, name = 'arguments'): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
  const advice = typeof value === 'string' ? '. Parse a text first: JSON.parse(text)' : ''
  throw new TypeError(
    `${usage}: ${name} must be an object, not ${typeof value === 'string' ? 'a text' : describe(value)}${advice}`,
  )
}
