import { PortcallError } from '../../../../util/src/errors.ts'

/** The endpoints of an authorization server; `none` for requests to any other path. */
export type OAuthEndpoint =
  | 'metadata'
  | 'jwks'
  | 'authorize'
  | 'token'
  | 'register'
  | 'device'
  | 'verify'
  | 'revoke'
  | 'introspect'
  | 'none'

/** A request to an authorization server. */
export interface OAuthRequest {
  /** The endpoint that received the request. */
  readonly endpoint: OAuthEndpoint
  /** The HTTP method. */
  readonly method: string
  /** The URL as requested, without the query. */
  readonly url: string
  /** The path of the URL. */
  readonly path: string
  /** The request headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parameters of the query and of the form. */
  readonly parameters: URLSearchParams
  /** The parsed JSON body. */
  readonly body: unknown
  /** The status of the response; 0 before the response, or without one. */
  readonly status: number
}

export interface OAuthResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** An error response ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)). */
export class OAuthError extends PortcallError {
  override readonly name = 'OAuthError'
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: string,
    description: string,
    { status = 400, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(description)
    this.code = code
    this.status = status
    this.headers = headers
  }
}

/** Creates a JSON response that must not be cached. */
export function createJsonResponse(value: unknown, { status = 200, headers = {} }: Partial<OAuthResponse> = {}): OAuthResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  }
}

export function toErrorResponse({ code, message, status, headers }: OAuthError): OAuthResponse {
  return createJsonResponse({ error: code, error_description: message }, { status, headers })
}

/** Returns a parameter. @throws OAuthError when it is missing. */
export function requireParameter({ parameters }: OAuthRequest, name: string): string {
  const value = parameters.get(name)
  if (value === null || value === '') throw new OAuthError('invalid_request', `${name} is missing`)
  return value
}
