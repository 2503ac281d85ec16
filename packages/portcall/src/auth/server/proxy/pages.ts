import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import type { Page, ResourceRequest } from '../types.ts'

/** Why a request to the proxy is refused, in the words of OAuth (RFC 6749, section 5.2). */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal'
  readonly error: string
  readonly status: number

  constructor(error: string, description: string, status = 400) {
    super(description)
    this.error = error
    this.status = status
  }
}

const MAX_FORM_LENGTH = 32 * 1024
const SAFE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** An answer for programs. */
export function jsonPage(body: JsonObject, status = 200): Page {
  return { status, headers: { ...SAFE, pragma: 'no-cache', 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** The refusal of a request, for programs. */
export function refusalPage({ error, message, status }: OAuthRefusal): Page {
  return jsonPage({ error, error_description: message }, status)
}

/** A refusal for people, who are sent nowhere. */
export function textPage(text: string, status = 400): Page {
  return { status, headers: { ...SAFE, 'content-type': 'text/plain; charset=utf-8' }, body: text }
}

/** Sends a browser elsewhere, by GET. */
export function redirectPage(url: URL, headers: Readonly<Record<string, string>> = {}): Page {
  return { status: 303, headers: { ...SAFE, 'referrer-policy': 'no-referrer', ...headers, location: url.href } }
}

/** The query of a request. A parameter that comes twice is refused (RFC 6749, section 3.1). @throws OAuthRefusal */
export function readQuery({ target }: ResourceRequest): ReadonlyMap<string, string> {
  const start = target.indexOf('?')
  return once(new URLSearchParams(start < 0 ? '' : target.slice(start)))
}

/** The form of a request, read by us or by a framework. @throws OAuthRefusal */
export async function readForm(request: ResourceRequest): Promise<ReadonlyMap<string, string>> {
  const body = await request.readBody()
  if ('text' in body) {
    if (body.text.length > MAX_FORM_LENGTH) throw new OAuthRefusal('invalid_request', 'The form is too large', 413)
    return once(new URLSearchParams(body.text))
  }
  const fields = isObject(body.parsed) ? Object.entries(body.parsed) : []
  return new Map(fields.filter((field): field is [string, string] => typeof field[1] === 'string'))
}

/** The JSON object of a request. @throws OAuthRefusal */
export async function readJson(request: ResourceRequest): Promise<JsonObject> {
  const body = await request.readBody()
  try {
    const value: unknown = 'text' in body ? JSON.parse(body.text.slice(0, MAX_FORM_LENGTH)) : body.parsed
    if (isObject(value)) return value
  } catch {}
  throw new OAuthRefusal('invalid_client_metadata', 'The body has to be a JSON object')
}

function once(parameters: URLSearchParams): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (all.has(name)) throw new OAuthRefusal('invalid_request', `There is more than one ${name.slice(0, 40)}`)
    all.set(name, value)
  }
  return all
}
