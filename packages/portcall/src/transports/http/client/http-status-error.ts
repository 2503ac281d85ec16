import { PortcallError } from '../../../../../util/src/errors.ts'
import type { ErrorBody } from '../../../jsonrpc/message.ts'

/** An HTTP error response. */
export interface ErrorResponse {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly body: string
  readonly error?: ErrorBody | undefined
}

const MAX_BODY_LENGTH = 1000
/** The client errors that a later attempt may not have. */
const TEMPORARY = new Set([408, 425, 429])

/** Thrown when a server or a proxy responds with an HTTP error or a redirect instead of an MCP message. */
export class HttpStatusError extends PortcallError {
  override readonly name = 'HttpStatusError'
  readonly code = 'HTTP_STATUS'
  /** The URL of the request, without its query. */
  readonly url: string
  /** The HTTP status. */
  readonly status: number
  /** Returns a header of the response by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The first 1000 characters of the body. */
  readonly body: string
  /** The JSON-RPC error in the body, if there is one. */
  readonly error: ErrorBody | undefined
  /** True if the same request may succeed later. */
  readonly retryable: boolean

  /** The message contains the URL, the status and, if there is one, the JSON-RPC error or the redirect. */
  constructor(url: string, { status, header, body, error }: ErrorResponse) {
    const location = header('location')?.split('?', 1)[0]
    const reason = error?.message ?? (location === undefined ? undefined : `it redirects to ${location}, which is not followed`)
    super(`${url} responded with HTTP ${status || 'a redirect'}${reason === undefined ? '' : `: ${reason}`}`)
    this.url = url
    this.status = status
    this.header = header
    this.body = body.slice(0, MAX_BODY_LENGTH)
    this.error = error
    this.retryable = status >= 500 || TEMPORARY.has(status)
  }
}
