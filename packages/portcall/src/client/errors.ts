import type { Issue } from '../schema/standard.ts'

/** Thrown when an answer did not come in time. The peer is told that it is not waited for any more. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly code = 'TIMEOUT'

  constructor(method: string, ms: number) {
    super(`${method} was not answered within ${ms} ms`)
  }
}

/** Thrown when a server answers with something that the protocol does not allow. */
export class InvalidResult extends Error {
  override readonly name = 'InvalidResult'
  readonly code = 'INVALID_RESULT'
  readonly issues: readonly Issue[]

  constructor(message: string, issues: readonly Issue[] = []) {
    super([message, ...issues.map(({ path, message: fault }) => `/${path.join('/')}: ${fault}`)].join('\n'))
    this.issues = issues
  }
}

/** Thrown when a server asks for something that this client did not say it can answer, or that cannot be answered. */
export class UnansweredInput extends Error {
  override readonly name = 'UnansweredInput'
  readonly code = 'UNANSWERED_INPUT'
}

/** Thrown when an extension is used that the server does not declare. */
export class ExtensionMissing extends Error {
  override readonly name = 'ExtensionMissing'
  readonly code = 'EXTENSION_MISSING'

  constructor(id: string) {
    super(`The server does not speak the extension ${id}`)
  }
}

/** Thrown when a client is used that was closed, or whose server has ended for good. */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed'
  readonly code = 'CONNECTION_CLOSED'
  readonly retryable = false
}
