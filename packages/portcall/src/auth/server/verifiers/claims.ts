import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { readId, readNumber, readText } from '../../members.ts'
import { InvalidTokenError } from '../errors.ts'
import type { VerifiedToken } from '../types.ts'

/**
 * Reads the claims that JWTs and introspection responses share (RFC 9068, RFC 7662). Optional claims with a wrong type count as absent.
 *
 * @throws InvalidTokenError for a token that is bound in an unsupported way.
 */
export function readClaims(claims: JsonObject, issuer: string): VerifiedToken {
  return {
    issuer,
    audience: readStrings(claims.aud),
    subject: readId(claims.sub),
    clientId: readText(claims.client_id) ?? readText(claims.azp),
    scopes: [...new Set([...readScopes(claims.scope), ...readScopes(claims.scp)])],
    expiresAt: readNumber(claims.exp),
    keyThumbprint: readKeyThumbprint(claims.cnf),
    claims,
  }
}

function readStrings(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')
}

/** Reads scopes from a space-separated string or a list. */
function readScopes(value: unknown): string[] {
  return readStrings(value).flatMap((one) => one.split(' ').filter((scope) => scope !== ''))
}

/** The other ways to bind a token (RFC 7800, section 3; RFC 8705, section 3.1). */
const OTHER_BINDINGS: readonly string[] = ['x5t#S256', 'jwk', 'jwe', 'jku', 'kid']

/**
 * Reads the `cnf` claim. Refuses tokens bound to a certificate or to anything other than a key, because the binding cannot be checked. Members
 * that are not known are ignored (RFC 7800, section 3.1).
 */
function readKeyThumbprint(confirmation: unknown): string | undefined {
  if (confirmation === undefined) return undefined
  const members: JsonObject = isObject(confirmation) ? confirmation : {}
  const jkt = readText(members.jkt)
  if (jkt === undefined || OTHER_BINDINGS.some((name) => Object.hasOwn(members, name)))
    throw new InvalidTokenError('The token is bound in an unsupported way')
  return jkt
}
