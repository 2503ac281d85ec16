import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { AuthError, type AuthFault } from './errors.ts'

/** Who has answered, and what it means when that is a refusal. */
export interface Answering {
  readonly fault: AuthFault
  /** Begins a sentence. */
  readonly who: string
}

const MAX_TEXT = 300

/**
 * Reads the answer of an OAuth endpoint, which is an object in JSON; one with an `error` is a refusal, whatever its status. Members that are
 * null count as absent.
 *
 * @throws AuthError with what was said.
 */
export async function readAnswer(response: Response, { fault, who }: Answering): Promise<JsonObject> {
  const document: unknown = await response.json().catch(() => undefined)
  if (isObject(document) && typeof document.error === 'string') {
    const { error, error_description: description } = document
    const refusal = { error: clean(error), ...(typeof description === 'string' && { description: clean(description) }) }
    const told = [refusal.error, refusal.description].filter(Boolean).join(': ')
    throw new AuthError(fault, `${who} has refused: ${told}`, { refusal })
  }
  if (!response.ok || !isObject(document))
    throw new AuthError(fault, `${who} has answered with HTTP ${response.status}, and no ${response.ok ? 'JSON' : 'reason'}`)
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null))
}

/** Makes an `AuthError` of what made no sense; what is one already stays. The cause is left out: it may hold the tokens of the answer. */
export function asAuthError(error: unknown, { fault, who }: Answering): AuthError {
  if (error instanceof AuthError) return error
  const reason = clean(error instanceof Error ? error.message : String(error))
  return new AuthError(fault, `${who} has answered with something that is no answer: ${reason}`)
}

/** Text of strangers, without what a terminal takes for more than text, and what nobody sees. */
export function clean(text: string): string {
  return text.replace(/[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/gu, ' ').slice(0, MAX_TEXT)
}
