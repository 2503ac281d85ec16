import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { TokenRefused } from './errors.ts'
import type { Token } from './types.ts'

/**
 * Reads what is said about a token, in the names that a JWT and an introspection have in common (RFC 9068, RFC 7662).
 *
 * @throws TokenRefused when it is bound to something that cannot be checked here.
 */
export function readClaims(claims: JsonObject, issuer: string): Token {
  return {
    issuer,
    audience: texts(claims.aud),
    subject: text(claims.sub),
    clientId: text(claims.client_id) ?? text(claims.azp),
    scopes: [...new Set([...words(claims.scope), ...words(claims.scp)])],
    expiresAt: typeof claims.exp === 'number' ? claims.exp : undefined,
    boundKey: boundKey(claims.cnf),
    claims,
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')
}

/** Scopes come as one text with spaces, or as a list. */
function words(value: unknown): string[] {
  return texts(value).flatMap((one) => one.split(' ').filter((word) => word !== ''))
}

/** A token that is bound to a certificate, or to anything else but a key, is worth nothing to who cannot check that. */
function boundKey(confirmation: unknown): string | undefined {
  if (confirmation === undefined) return undefined
  const jkt = isObject(confirmation) ? text(confirmation.jkt) : undefined
  if (jkt === undefined || Object.keys(confirmation as object).length > 1)
    throw new TokenRefused('The token is bound in a way that is not supported here')
  return jkt
}
