import type { ErrorBody } from '../../jsonrpc/message.ts'

/** What an `HttpStatusError` is made of. */
export interface StatusAnswer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly body: string
  readonly error?: ErrorBody | undefined
}

const EXCERPT = 1000
const PASSING = new Set([408, 425, 429])

/**
 * A server, or what stands before it, answered with an HTTP status instead of a message: it wants authorization, is busy, has sent us
 * elsewhere, or is no MCP server.
 */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError'
  readonly code = 'HTTP_STATUS'
  readonly status: number
  /** A header of the answer by its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** How the body begins. */
  readonly body: string
  /** The JSON-RPC error that the body is, if it is one. */
  readonly error: ErrorBody | undefined
  /** Whether the same request may be answered at another time. */
  readonly retryable: boolean

  constructor(where: string, { status, header, body, error }: StatusAnswer) {
    const place = header('location')?.split('?', 1)[0]
    const reason = error?.message ?? (place === undefined ? undefined : `it redirects to ${place}, which is not followed`)
    super(`${where} answered with HTTP ${status || 'a redirect'}${reason === undefined ? '' : `: ${reason}`}`)
    this.status = status
    this.header = header
    this.body = body.slice(0, EXCERPT)
    this.error = error
    this.retryable = status >= 500 || PASSING.has(status)
  }
}
