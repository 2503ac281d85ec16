import { TokenRefused } from './errors.ts'
import { isSameResource } from './resource.ts'
import { insecureAnyAudience, type Token, type TokenAuth, type Verifier } from './types.ts'

/** What a token has to be good for. */
export interface Expected {
  readonly resource: string
  readonly issuers: readonly string[]
  /** Scopes, by the scopes that imply them. */
  readonly implied: Readonly<Record<string, readonly string[]>>
  readonly clockToleranceS: number
  readonly now: () => number
}

/** Checks what a verifier has found out, whoever wrote the verifier, and makes it what handlers see. @throws TokenRefused */
export function admit(token: Token, verifier: Verifier, expected: Expected): TokenAuth {
  const { issuer, audience, subject, clientId, scopes, expiresAt, claims } = token
  if (!(verifier.issuers ?? expected.issuers).includes(issuer)) throw new TokenRefused('The token is of another issuer')
  if (!isMeantFor(audience, verifier.audience ?? [expected.resource])) throw new TokenRefused('The token is for another resource')
  if (expiresAt !== undefined && !(expiresAt + expected.clockToleranceS > expected.now() / 1000))
    throw new TokenRefused('The token has expired')
  return {
    principal: principalOf(token),
    issuer,
    scopes: withImplied(scopes, expected.implied),
    ...(subject !== undefined && { subject }),
    ...(clientId !== undefined && { clientId }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(claims && { claims }),
  }
}

/**
 * Names who is calling so that nobody else has the same name: subjects are unique within their issuer only, and a client that acts for itself
 * is no user. An issuer has no `#`. @throws TokenRefused
 */
function principalOf({ issuer, subject, clientId }: Token): string {
  if (subject) return `${issuer}#${subject}`
  if (clientId) return `client ${issuer}#${clientId}`
  throw new TokenRefused('The token does not say whose it is')
}

function isMeantFor(audience: readonly string[], accepted: NonNullable<Verifier['audience']>): boolean {
  if (accepted === insecureAnyAudience) return true
  return audience.some((one) => accepted.some((other) => isSameResource(one, other)))
}

/** Adds what scopes imply, and what that implies. */
export function withImplied(scopes: readonly string[], implied: Expected['implied']): readonly string[] {
  const all = new Set(scopes)
  for (const scope of all) {
    const more = Object.hasOwn(implied, scope) ? implied[scope] : undefined
    for (const one of more ?? []) all.add(one)
  }
  return [...all]
}
