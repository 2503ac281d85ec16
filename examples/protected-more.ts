/** Other ways to tell who is calling, and what they may do. */
import { createServer } from 'portcall'
import {
  apiKeys,
  createApiKey,
  introspection,
  jwt,
  protect,
  TokenRefused,
  type Verifier,
  VerifierUnavailable,
} from 'portcall/auth/server'
import { memory } from 'portcall/stores'

const resource = 'https://notes.example.com/mcp'
const issuer = 'https://login.example.com'
const partner = 'https://login.partner.example'

// #region scopes
const server = createServer({ name: 'notes', version: '1.0.0' }, { lackingScopes: 'hide' })
server.tool('erase', { scopes: ['notes:write'] }, () => 'All gone')
server.resource('note://{id}', { scopes: ['notes:read'], lackingScopes: 'challenge' }, ({ id }) => `Note ${id}`)
// #endregion

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

// #region keys
/** Gives a user a key. The key is shown once; its hash is all that rests. */
export async function keyFor(subject: string): Promise<{ key: string; verify: Verifier }> {
  const { key, hash } = await createApiKey()
  return { key, verify: apiKeys([{ hash, subject, scopes: ['notes:read'] }]) }
}
// #endregion

// #region own
/** Asks a service of our own about a token. */
const own: Verifier = {
  issuers: [issuer],
  async verify(token) {
    const response = await fetch(`${issuer}/whose`, { headers: { authorization: `Bearer ${token}` } }).catch(() => undefined)
    if (!response || response.status >= 500) throw new VerifierUnavailable('The service is silent')
    if (response.status !== 200) throw new TokenRefused('The token was revoked')
    const { user, audience, scopes, expires } = await response.json()
    return { issuer, subject: user, audience: [audience], scopes, expiresAt: expires }
  },
}
// #endregion

// #region dpop
const { store } = memory()
export const bound = protect({
  resource,
  authorizationServers: [issuer, partner],
  verify: [...several, own],
  impliedScopes: { 'notes:write': ['notes:read'] },
  dpop: { required: true, store },
})
// #endregion
export { server }
