/** Several verifiers, one of them custom. */
import { InvalidTokenError, introspection, jwt, protect, type Verifier, VerifierUnavailableError } from 'portcall/auth/server'
import { memoryStores } from 'portcall/stores'

const resource = 'https://notes.example.com/mcp'
const issuer = 'https://login.example.com'
const partner = 'https://login.partner.example'

// #region several
const several = [
  jwt({ issuer, jwksUri: `${issuer}/jwks` }),
  introspection({
    issuer: partner,
    endpoint: `${partner}/introspect`,
    clientId: 'notes',
    clientSecret: process.env.PARTNER_SECRET ?? '',
  }),
]
// #endregion

// #region own
/** Looks up a token in an internal service. */
const own: Verifier = {
  issuers: [issuer],
  async verify(token) {
    const response = await fetch(`${issuer}/token-info`, { headers: { authorization: `Bearer ${token}` } }).catch(() => undefined)
    if (!response || response.status >= 500) throw new VerifierUnavailableError('The service is silent')
    if (response.status !== 200) throw new InvalidTokenError('The token was revoked')
    const { user, audience, scopes, expires } = await response.json()
    return { issuer, subject: user, audience: [audience], scopes, expiresAt: expires }
  },
}
// #endregion

// #region dpop
const { store } = memoryStores()
export const bound = protect({
  resource,
  authorizationServers: [issuer, partner],
  verify: [...several, own],
  impliedScopes: { 'notes:write': ['notes:read'] },
  dpop: { required: true, store },
})
// #endregion
