import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { InvalidTokenError } from '../errors.ts'
import type { VerifiedToken } from '../types.ts'

/**
 * Reads the claims that JWTs and introspection responses share (RFC 9068, RFC 7662).
 *
 * @throws InvalidTokenError for a token that is bound in an unsupported way.
 */
export function readClaims(claims: JsonObject, issuer: string): VerifiedToken {
  return {
    issuer,
    audience: readStrings(claims.aud),
    subject: readString(claims.sub),
    clientId: readString(claims.client_id) ?? readString(claims.azp),
    scopes: [...new Set([...readScopes(claims.scope), ...readScopes(claims.scp)])],
    expiresAt: typeof claims.exp === 'number' ? claims.exp : undefined,
    keyThumbprint: readKeyThumbprint(claims.cnf),
    claims,
  }
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readStrings(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')
}

/** Reads scopes from a space-separated string or a list. */
function readScopes(value: unknown): string[] {
  return readStrings(value).flatMap((one) => one.split(' ').filter((scope) => scope !== ''))
}

/** Reads the `cnf` claim. Refuses tokens bound to a certificate or to anything other than a key, because the binding cannot be checked. */
function readKeyThumbprint(confirmation: unknown): string | undefined {
  if (confirmation === undefined) return undefined
  const jkt = isObject(confirmation) ? readString(confirmation.jkt) : undefined
  if (jkt === undefined || Object.keys(confirmation as object).length > 1)
    throw new InvalidTokenError('The token is bound in an unsupported way')
  return jkt
}
