/** Advice on what to change, added to an error whose cause is known. */
export interface ErrorAdvice {
  /** The situation, such as `token-missing`. It does not change between versions. */
  readonly situation: string
  /** The message without the advice. */
  readonly reason: string
  /** The advice, for the author of a program. */
  readonly text: string
}

/**
 * The base class of every error that this package throws on purpose. `code` identifies the kind of error and does not change between
 * versions; messages may.
 */
export abstract class PortcallError extends Error {
  /** Identifies the kind of error. It does not change between versions. */
  abstract readonly code: string | number
  /** The advice that the message contains, if the cause is known. */
  declare readonly advice?: ErrorAdvice
}

/** Returns the message of whatever was thrown. If a peer answered a request with this error, the message names the method of the request. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, method } = error as { message: string; method?: unknown }
  return typeof method === 'string' && !message.includes(method) ? `${method}: ${message}` : message
}

/** Changes the message of an error, also in its stack, which is what runtimes print. */
export function setMessage(error: Error, message: string): void {
  const stack = error.stack?.replace(error.message, () => message)
  error.message = message
  if (stack !== undefined) error.stack = stack
}

/** Adds a text to the message of an error. */
export function appendToMessage(error: PortcallError, text: string): void {
  setMessage(error, error.message + text)
  const { advice } = error
  if (advice) Object.assign(error, { advice: { ...advice, reason: advice.reason + text } })
}
