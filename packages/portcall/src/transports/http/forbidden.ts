import type { Response } from '../../jsonrpc/message.ts'
import { requiredScopes } from '../../protocol/errors.ts'
import type { Endpoint, Visit } from './endpoint.ts'
import { flatHeaders, JSON_HEADERS } from './headers.ts'

/**
 * Answers 403 when the core says that the caller lacks scopes, with a challenge that names them. Tells whether it did: all other responses
 * are left alone.
 */
export function sendForbidden(response: Response, { reply, auth }: Visit, { challenge }: Pick<Endpoint, 'challenge'>): boolean {
  const scopes = requiredScopes(response)
  if (!scopes) return false
  reply.send(403, [...JSON_HEADERS, ...flatHeaders(challenge?.(scopes, auth) ?? {})], JSON.stringify(response))
  return true
}
