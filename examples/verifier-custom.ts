import { InvalidTokenError, type Verifier, VerifierUnavailableError } from 'portcall/auth/server'

/** Creates a verifier that looks up tokens in an internal service. */
export function tokenInfo(issuer: string): Verifier {
  return {
    issuers: [issuer],
    async verify(token) {
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`${issuer}/token-info`, { headers }).catch(() => undefined)
      if (!response || response.status >= 500) throw new VerifierUnavailableError('The token service does not respond')
      if (response.status === 404) return undefined
      if (response.status !== 200) throw new InvalidTokenError('The token was revoked')
      const { user, audience, scopes, expires } = await response.json()
      return { issuer, subject: user, audience: [audience], scopes, expiresAt: expires }
    },
  }
}
