/** Reading requests and writing responses of the proxy's endpoints. */

import { PortcallError } from '../../../../util/src/errors.ts'
import { queryOf } from '../../../../util/src/request-target.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { HookRequest, HookResponse } from '../../protocol/http.ts'

/** An OAuth error response (RFC 6749, section 5.2). `code` is its `error`, the message its `error_description`. */
export class OAuthEndpointError extends PortcallError {
  override readonly name = 'OAuthEndpointError'
  readonly code: string
  readonly status: number

  constructor(code: string, description: string, status = 400) {
    super(description)
    this.code = code
    this.status = status
  }
}

const MAX_BODY_LENGTH = 32 * 1024
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Creates a JSON response for clients. */
export function jsonResponse(body: JsonObject, status = 200): HookResponse {
  return { status, headers: { ...HEADERS, pragma: 'no-cache', 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Creates an OAuth error response for clients. */
export function errorResponse({ code, message, status }: OAuthEndpointError): HookResponse {
  return jsonResponse({ error: code, error_description: message }, status)
}

/** Creates an error page for users. */
export function textResponse(text: string, status = 400): HookResponse {
  return { status, headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' }, body: text }
}

/** Redirects a browser, which follows with GET. */
export function redirectResponse(url: URL, headers: Readonly<Record<string, string>> = {}): HookResponse {
  return { status: 303, headers: { ...HEADERS, 'referrer-policy': 'no-referrer', ...headers, location: url.href } }
}

/** Parses the query. Refuses repeated parameters (RFC 6749, section 3.1). @throws OAuthEndpointError */
export function readQuery({ target }: HookRequest): ReadonlyMap<string, string> {
  return toMap(queryOf(target))
}

/** Reads a form, which a framework may have parsed already. @throws OAuthEndpointError */
export async function readForm(request: HookRequest): Promise<ReadonlyMap<string, string>> {
  const body = await request.readBody()
  if ('text' in body) {
    if (body.text.length > MAX_BODY_LENGTH) throw new OAuthEndpointError('invalid_request', 'The form is too large', 413)
    return toMap(new URLSearchParams(body.text))
  }
  const fields = isObject(body.parsed) ? Object.entries(body.parsed) : []
  return new Map(fields.filter((field): field is [string, string] => typeof field[1] === 'string'))
}

/** Reads a JSON object. @throws OAuthEndpointError */
export async function readJsonBody(request: HookRequest): Promise<JsonObject> {
  const body = await request.readBody()
  try {
    const value: unknown = 'text' in body ? JSON.parse(body.text.slice(0, MAX_BODY_LENGTH)) : body.parsed
    if (isObject(value)) return value
  } catch {}
  throw new OAuthEndpointError('invalid_client_metadata', 'The body must be a JSON object')
}

function toMap(parameters: URLSearchParams): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (map.has(name)) throw new OAuthEndpointError('invalid_request', `The parameter ${name.slice(0, 40)} is repeated`)
    map.set(name, value)
  }
  return map
}
