import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { parseObject } from '../../../jsonrpc/parse-object.ts'
import { readText } from '../../members.ts'
import { AuthError, type AuthErrorReason, type OAuthErrorResponse } from '../errors.ts'

/** An endpoint whose responses are read, for error messages. */
export interface EndpointInfo {
  /** The subject of the messages, such as `The token endpoint of https://login.example.com`. */
  readonly label: string
  /** The reason of its errors. */
  readonly reason: AuthErrorReason
}

const MAX_TEXT = 300

/**
 * Reads the JSON object of an OAuth response, or the form that some servers send instead. An object with an `error` is an error response,
 * whatever its status. Removes members that are null.
 *
 * @throws AuthError with the status and the error response, or if the response is not a JSON object.
 */
export async function readOAuthResponse(response: Response, { reason, label }: EndpointInfo): Promise<JsonObject> {
  const { ok, status } = response
  const document = await readBody(response)
  if (document && typeof document.error === 'string') {
    const sanitized = sanitizeError(document.error, document.error_description)
    throw new AuthError(reason, `${label} returned an error: ${describeOAuthError(sanitized)}`, { status, response: sanitized })
  }
  if (ok && document) return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null))
  const text = document && foreignMessage(document)
  const problem = text ? `: ${text}` : ` and no ${ok ? 'JSON object' : 'error code'}`
  throw new AuthError(reason, `${label} responded with HTTP ${status}${problem}`, { status })
}

async function readBody(response: Response): Promise<JsonObject | undefined> {
  const isForm = response.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') ?? false
  const text = await response.text().catch(() => '')
  if (isForm) return Object.fromEntries(new URLSearchParams(text))
  return parseObject(text)
}

/** Returns what an error response that does not follow OAuth says, in the forms that frameworks use. */
function foreignMessage({ error, message, detail }: JsonObject): string | undefined {
  const nested = isObject(error) ? (readText(error.message) ?? readText(error.code)) : undefined
  const text = nested ?? readText(message) ?? readText(detail)
  return text === undefined ? undefined : sanitizeText(text)
}

/** Makes an error that another party sent displayable. */
export function sanitizeError(error: string, description: unknown): OAuthErrorResponse {
  return {
    error: sanitizeText(error),
    ...(typeof description === 'string' && { description: sanitizeText(description) }),
  }
}

/** Returns a sanitized error as text. */
export function describeOAuthError({ error, description }: OAuthErrorResponse): string {
  return [error, description].filter(Boolean).join(': ')
}

/** Errors that refuse a request for good, whatever the status. */
const FINAL_ERRORS: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_target',
  'invalid_scope',
  'unsupported_grant_type',
])
const TEMPORARY_ERRORS: ReadonlySet<string> = new Set(['temporarily_unavailable', 'slow_down'])
/** Request Timeout, Too Early, Too Many Requests. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429])

/**
 * Reports whether an endpoint has refused a request for good, so that to repeat it cannot help. The class of the status decides, because
 * servers use many more error codes than the standards name, and some none at all.
 */
export function isFinalRefusal({ response, status = 0 }: AuthError): boolean {
  const { error = '' } = response ?? {}
  if (FINAL_ERRORS.has(error)) return true
  if (TEMPORARY_ERRORS.has(error)) return false
  if (status < 400) return response !== undefined && error !== 'server_error'
  return status < 500 && !TEMPORARY_STATUSES.has(status)
}

/** Reports whether an authorization server does not know, or does not accept, the client. */
export function isClientRefusal({ reason, response, status }: AuthError): boolean {
  if (response) return response.error === 'invalid_client' || response.error === 'unauthorized_client'
  return reason === 'token_refused' && status === 401
}

/** Converts an error about an invalid response to an AuthError. The cause is omitted, because it may contain the tokens of the response. */
export function toAuthError(error: unknown, { reason, label }: EndpointInfo): AuthError {
  if (error instanceof AuthError) return error
  const text = sanitizeText(error instanceof Error ? error.message : String(error))
  return new AuthError(reason, `${label} sent an invalid response: ${text}`)
}

/** Truncates foreign text, and replaces terminal control characters and invisible characters by spaces. */
export function sanitizeText(text: string): string {
  return text.replace(/[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/gu, ' ').slice(0, MAX_TEXT)
}
