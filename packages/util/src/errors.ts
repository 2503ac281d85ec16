/**
 * The base class of every error that this package throws on purpose. `code` identifies the kind of error and does not change between
 * versions; messages may.
 */
export abstract class PortcallError extends Error {
  /** Identifies the kind of error. It does not change between versions. */
  abstract readonly code: string | number
}

/** Returns the message of whatever was thrown. If a peer answered a request with this error, the message names the method of the request. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, method } = error as { message: string; method?: unknown }
  return typeof method === 'string' && !message.includes(method) ? `${method}: ${message}` : message
}
