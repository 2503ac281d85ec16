import { isSameIssuer } from '../../../../util/src/issuer.ts'
import { InvalidTokenError } from './errors.ts'
import { principalOf } from './principal.ts'
import { isSameResource } from './resource.ts'
import { insecureAnyAudience, type TokenAuth, type VerifiedToken, type Verifier } from './types.ts'

/** The requirements on a token. */
export interface TokenRequirements {
  readonly resource: string
  readonly issuers: readonly string[]
  /** The scopes that each scope implies. */
  readonly impliedScopes: Readonly<Record<string, readonly string[]>>
  readonly clockToleranceMs: number
  readonly now: () => number
}

/**
 * Checks issuer, audience and expiry of a verified token, also for custom verifiers, and converts it to what handlers receive.
 *
 * @throws InvalidTokenError
 */
export function validateToken(token: VerifiedToken, verifier: Verifier, requirements: TokenRequirements): TokenAuth {
  const { audience, subject, username, clientId, scopes, expiresAt, claims } = token
  const { issuers, resource, impliedScopes, clockToleranceMs, now } = requirements
  // The configured text names the issuer in principals, however a token writes it.
  const issuer = (verifier.issuers ?? issuers).find((one) => isSameIssuer(one, token.issuer))
  if (issuer === undefined) throw new InvalidTokenError('The token has an untrusted issuer')
  if (!hasAudience(audience, verifier.audience ?? [resource]))
    throw new InvalidTokenError('The token was issued for another resource')
  if (expiresAt !== undefined && !(expiresAt + clockToleranceMs / 1000 > now() / 1000))
    throw new InvalidTokenError('The token has expired')
  return {
    principal: principalOf({ ...token, issuer }, verifier),
    issuer,
    scopes: addImpliedScopes(scopes, impliedScopes),
    ...(subject !== undefined && { subject }),
    ...(username !== undefined && { username }),
    ...(clientId !== undefined && { clientId }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(claims && { claims }),
  }
}

function hasAudience(audience: readonly string[], accepted: NonNullable<Verifier['audience']>): boolean {
  if (accepted === insecureAnyAudience) return true
  return audience.some((one) => accepted.some((other) => isSameResource(one, other)))
}

/** Adds the implied scopes, transitively. */
export function addImpliedScopes(
  scopes: readonly string[],
  impliedScopes: TokenRequirements['impliedScopes'],
): readonly string[] {
  const all = new Set(scopes)
  for (const scope of all) {
    const implied = Object.hasOwn(impliedScopes, scope) ? impliedScopes[scope] : undefined
    for (const one of implied ?? []) all.add(one)
  }
  return [...all]
}
