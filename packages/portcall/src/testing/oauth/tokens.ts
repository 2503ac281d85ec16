import { randomId } from '../../../../util/src/random.ts'
import { override } from './faults.ts'
import { OAuthError } from './request.ts'
import { nowSeconds, type ServerSettings } from './settings.ts'

/** The access that tokens represent. */
export interface AccessGrant {
  readonly subject: string
  readonly clientId: string
  readonly scope: string
  readonly resources: readonly string[]
  /** The thumbprint of the key that the tokens are bound to. */
  readonly jkt?: string
  /** Identifies the consent that the tokens originate from. */
  readonly family: string
}

export interface IssuedToken {
  readonly kind: 'access' | 'refresh'
  readonly grant: AccessGrant
  /** Seconds since 1970. */
  readonly issuedAt: number
  /** Seconds since 1970. */
  readonly expiresAt: number
  readonly claims: Readonly<Record<string, unknown>>
  isUsed: boolean
}

export interface AccessTokenOptions {
  readonly ttlMs?: number
  /** Overrides claims; `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>
}

export interface TokenIssuer {
  issueAccessToken(grant: AccessGrant, options?: AccessTokenOptions): Promise<string>
  issueRefreshToken(grant: AccessGrant): string
  /** Returns a token that is valid. */
  find(token: string): IssuedToken | undefined
  /** Redeems a refresh token. Reuse revokes its family. @throws OAuthError when it is not valid. */
  redeem(token: string): AccessGrant
  /** Revokes a token; with a refresh token, all tokens of the same consent. */
  revoke(token: string): void
  revokeFamily(family: string): void
}

export function createTokenIssuer(settings: ServerSettings): TokenIssuer {
  const { options, issuer, keys, lifetimes } = settings
  const tokens = new Map<string, IssuedToken>()

  const revokeFamily = (family: string): void => {
    for (const [token, { grant }] of tokens) if (grant.family === family) tokens.delete(token)
  }
  const findUnexpired = (token: string): IssuedToken | undefined => {
    const issued = tokens.get(token)
    return issued && issued.expiresAt > nowSeconds(settings) ? issued : undefined
  }
  const store = (token: string, issued: Omit<IssuedToken, 'isUsed'>): string => {
    tokens.set(token, { ...issued, isUsed: false })
    return token
  }

  return {
    revokeFamily,
    find: (token) => (tokens.get(token)?.isUsed ? undefined : findUnexpired(token)),
    async issueAccessToken(grant, { ttlMs = lifetimes.accessTokenTtlMs, claims: overrides = {} } = {}) {
      const issuedAt = nowSeconds(settings)
      const expiresAt = issuedAt + Math.floor(ttlMs / 1000)
      const claims = override<unknown>(
        { ...claimsOf(grant, issuer), jti: randomId(), iat: issuedAt, exp: expiresAt },
        { ...settings.faults().claims, ...overrides },
      )
      const token = options.tokenFormat === 'opaque' ? randomId() : await keys.sign(claims, { typ: 'at+jwt' })
      return store(token, { kind: 'access', grant, issuedAt, expiresAt, claims })
    },
    issueRefreshToken(grant) {
      const issuedAt = nowSeconds(settings)
      const expiresAt = issuedAt + Math.floor(lifetimes.refreshTokenTtlMs / 1000)
      return store(randomId(), { kind: 'refresh', grant, issuedAt, expiresAt, claims: claimsOf(grant, issuer) })
    },
    redeem(token) {
      const issued = findUnexpired(token)
      if (issued?.kind !== 'refresh') throw new OAuthError('invalid_grant', 'The refresh token is unknown')
      if (issued.isUsed) {
        revokeFamily(issued.grant.family)
        throw new OAuthError('invalid_grant', 'The refresh token was used before')
      }
      issued.isUsed = options.rotateRefreshTokens !== false
      return issued.grant
    },
    revoke(token) {
      const issued = tokens.get(token)
      if (issued?.kind === 'refresh') revokeFamily(issued.grant.family)
      tokens.delete(token)
    },
  }
}

/** Returns the claims of a grant ([RFC 9068 §2.2](https://www.rfc-editor.org/rfc/rfc9068#section-2.2)). */
function claimsOf({ subject, clientId, scope, resources, jkt }: AccessGrant, issuer: string): Record<string, unknown> {
  const [audience = issuer] = resources
  return {
    iss: issuer,
    sub: subject,
    aud: resources.length > 1 ? resources : audience,
    client_id: clientId,
    ...(scope !== '' && { scope }),
    ...(jkt !== undefined && { cnf: { jkt } }),
  }
}
