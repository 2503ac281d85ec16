import { createServer } from 'portcall'
import { oauthProxy } from 'portcall/auth/proxy'
import { protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

const issuer = `https://${process.env.OKTA_DOMAIN}/oauth2/default`
const resource = process.env.RESOURCE ?? 'https://notes.example.com/mcp'

const proxy = oauthProxy({
  resource,
  upstream: {
    issuer,
    authorizationEndpoint: `${issuer}/v1/authorize`,
    tokenEndpoint: `${issuer}/v1/token`,
    clientId: process.env.CLIENT_ID ?? '',
    clientSecret: process.env.CLIENT_SECRET ?? '',
    scopes: ['openid', 'profile', 'offline_access'],
  },
  identify: async ({ accessToken }) => {
    const response = await fetch(`${issuer}/v1/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })
    const { sub } = await response.json()
    return { subject: sub }
  },
  scopes: ['notes:read'],
})

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', { description: 'Return the caller' }, (_, call) => `You are ${call.auth?.subject}`)

const protection = protect({ resource, verify: proxy, scopes: ['notes:read'] })
const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), ...protection })
console.log(`Listening at ${url}`)
