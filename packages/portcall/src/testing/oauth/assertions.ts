import type { JWTPayload } from 'jose'
import type { KeySet, TrustedIssuer } from './options.ts'
import type { Realm } from './realm.ts'
import { Refusal } from './request.ts'

/** What has to be true of a token of another issuer. */
export interface AssertionRules {
  readonly typ?: string
  readonly audience?: string[]
}

/** Reads a token that this server, or an issuer that it trusts, has signed. */
export async function readAssertion(token: string, realm: Realm, { typ, audience }: AssertionRules = {}): Promise<JWTPayload> {
  const { jose, issuer, keys, now, options } = realm
  const own: TrustedIssuer = { issuer, keys: keys.published }
  try {
    const { iss } = jose.decodeJwt(token)
    const trusted = [own, ...(options.trusted ?? [])].find((one) => one.issuer === iss)
    if (!trusted) throw new Error(`${iss} is not trusted`)
    const { payload } = await jose.jwtVerify(token, keySetOf(await readKeys(trusted), realm), {
      issuer: trusted.issuer,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(now()),
      ...(audience && { audience }),
      ...(typ !== undefined && { typ }),
    })
    return payload
  } catch (error) {
    throw new Refusal('invalid_grant', `The assertion is not good: ${error instanceof Error ? error.message : ''}`)
  }
}

function readKeys({ keys }: TrustedIssuer): KeySet | Promise<KeySet> {
  return typeof keys === 'function' ? keys() : keys
}

/** Makes of keys what finds the one that a token names. */
export function keySetOf({ keys }: KeySet, { jose }: Pick<Realm, 'jose'>): ReturnType<Realm['jose']['createLocalJWKSet']> {
  return jose.createLocalJWKSet({ keys: keys.map((key) => ({ ...key, kty: String(key.kty) })) })
}
