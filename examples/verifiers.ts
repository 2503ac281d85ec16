import { introspection, jwt, protect } from 'portcall/auth/server'

const issuer = 'https://login.example.com'
const partner = 'https://login.partner.example'

/** Options of `serve` for a server that accepts the JWTs of one issuer and the opaque tokens of another. */
export const protection = protect({
  resource: 'https://notes.example.com/mcp',
  authorizationServers: [issuer, partner],
  verify: [
    jwt({ issuer, jwksUri: `${issuer}/jwks` }),
    introspection({
      issuer: partner,
      endpoint: `${partner}/introspect`,
      clientId: 'notes',
      clientSecret: process.env.PARTNER_SECRET ?? '',
    }),
  ],
  impliedScopes: { 'notes:write': ['notes:read'] },
})
