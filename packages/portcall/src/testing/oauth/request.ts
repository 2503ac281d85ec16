/** The endpoints of an authorization server; `none` is what is asked elsewhere. */
export type Endpoint =
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

/** A request that an authorization server got. */
export interface OAuthRequest {
  readonly endpoint: Endpoint
  readonly method: string
  /** As the client named it, without the query. */
  readonly url: string
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Of the query and of the form. */
  readonly parameters: URLSearchParams
  /** What was sent as JSON. */
  readonly body: unknown
  /** What was answered; 0 before that, or when nothing was. */
  readonly status: number
}

/** An answer to one. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A refusal, in the words of [RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2). */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: string, description: string, more: { status?: number; headers?: Readonly<Record<string, string>> } = {}) {
    super(description)
    this.code = code
    this.status = more.status ?? 400
    this.headers = more.headers ?? {}
  }
}

/** Answers with JSON that nobody keeps. */
export function json(value: unknown, { status = 200, headers = {} }: Partial<Answer> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  }
}

/** Answers with a refusal. */
export function refuse({ code, message, status, headers }: Refusal): Answer {
  return json({ error: code, error_description: message }, { status, headers })
}

/** A parameter that has to be there. */
export function need({ parameters }: OAuthRequest, name: string): string {
  const value = parameters.get(name)
  if (value === null || value === '') throw new Refusal('invalid_request', `${name} is missing`)
  return value
}
