import type { JWTPayload } from 'jose'
import type { AuthorizationContext } from '../context.ts'
import type { KeySet, TrustedIssuer } from '../options.ts'
import { OAuthError } from '../request.ts'

/** The requirements on an assertion. */
export interface AssertionRequirements {
  readonly audience?: string[]
}

/**
 * Verifies a token that this server, or a trusted issuer, has signed. Returns its claims.
 *
 * @throws OAuthError when it is not valid.
 */
export async function verifyAssertion(
  token: string,
  context: AuthorizationContext,
  { audience }: AssertionRequirements = {},
): Promise<JWTPayload> {
  const { jose, issuer, keys, now, options } = context
  const self: TrustedIssuer = { issuer, keys: keys.published }
  try {
    const { iss } = jose.decodeJwt(token)
    const trusted = [self, ...(options.trustedIssuers ?? [])].find((candidate) => candidate.issuer === iss)
    if (!trusted) throw new Error(`${iss} is not trusted`)
    const keySet = typeof trusted.keys === 'function' ? await trusted.keys() : trusted.keys
    const { payload } = await jose.jwtVerify(token, createKeyResolver(keySet, context), {
      issuer: trusted.issuer,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(now()),
      ...(audience && { audience }),
    })
    return payload
  } catch (error) {
    throw new OAuthError('invalid_grant', `The assertion is not valid: ${error instanceof Error ? error.message : ''}`)
  }
}

/** Creates a function that finds the key that a token was signed with. */
export function createKeyResolver(
  { keys }: KeySet,
  { jose }: Pick<AuthorizationContext, 'jose'>,
): ReturnType<AuthorizationContext['jose']['createLocalJWKSet']> {
  return jose.createLocalJWKSet({ keys: keys.map((key) => ({ ...key, kty: String(key.kty) })) })
}
