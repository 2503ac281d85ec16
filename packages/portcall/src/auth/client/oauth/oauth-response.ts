import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { AuthError, type AuthErrorReason } from '../errors.ts'

/** An endpoint whose responses are read, for error messages. */
export interface EndpointInfo {
  /** The subject of the messages, such as `The token endpoint of https://login.example.com`. */
  readonly label: string
  /** The reason of its errors. */
  readonly reason: AuthErrorReason
}

const MAX_TEXT = 300

/**
 * Reads the JSON object of an OAuth response. An object with an `error` is an error response, whatever its status. Removes members that are
 * null.
 *
 * @throws AuthError with the error response, or if the response is not a JSON object.
 */
export async function readOAuthResponse(response: Response, { reason, label }: EndpointInfo): Promise<JsonObject> {
  const document: unknown = await response.json().catch(() => undefined)
  if (isObject(document) && typeof document.error === 'string') {
    const { error, error_description: description } = document
    const sanitized = {
      error: sanitizeText(error),
      ...(typeof description === 'string' && { description: sanitizeText(description) }),
    }
    const text = [sanitized.error, sanitized.description].filter(Boolean).join(': ')
    throw new AuthError(reason, `${label} returned an error: ${text}`, { response: sanitized })
  }
  if (!response.ok || !isObject(document))
    throw new AuthError(
      reason,
      `${label} responded with HTTP ${response.status} and no ${response.ok ? 'JSON object' : 'error code'}`,
    )
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null))
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
