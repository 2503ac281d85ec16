import type { JsonObject } from '../../jsonrpc/message.ts'
import { InvalidTokenError } from './errors.ts'
import type { VerifiedToken, Verifier } from './types.ts'

/** Claims of which each shows that a user has authorized the token, so that it is not the client's own. */
const USER_CLAIMS: readonly string[] = [
  'username',
  'preferred_username',
  'user_name',
  'user_id',
  'uid',
  'upn',
  'email',
  'sid',
  'session_state',
  'auth_time',
  'amr',
  'act',
]

/**
 * Returns a name that is unique to the caller. It contains the issuer, because a subject is unique within its issuer only. Prefixes separate
 * users without a subject, and clients, from subjects. An issuer contains no `#`.
 *
 * The name is that of a client only if the verifier says that tokens without a subject belong to clients, and the token shows no user: all
 * users of a client have the same client id, and must not become one caller.
 *
 * @throws InvalidTokenError if the token does not say whose it is.
 */
export function principalOf({ issuer, subject, username, clientId, claims }: VerifiedToken, { clientTokens }: Verifier): string {
  if (subject) return `${issuer}#${subject}`
  if (username) return `user ${issuer}#${username}`
  if (clientId && clientTokens === true && !namesUser(claims)) return `client ${issuer}#${clientId}`
  if (!clientId) throw new InvalidTokenError('The token has neither a subject nor a client id')
  throw new InvalidTokenError('The token does not say whose it is: it has no subject')
}

function namesUser(claims: JsonObject = {}): boolean {
  return USER_CLAIMS.some((name) => Object.hasOwn(claims, name) && claims[name] !== null && claims[name] !== '')
}
