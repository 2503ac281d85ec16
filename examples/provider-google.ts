import { createServer } from 'portcall'
import { oauthProxy } from 'portcall/auth/proxy'
import { protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

const resource = process.env.RESOURCE ?? 'https://notes.example.com/mcp'
const company = 'example.com'

const proxy = oauthProxy({
  resource,
  upstream: {
    issuer: 'https://accounts.google.com',
    authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    clientId: process.env.CLIENT_ID ?? '',
    clientSecret: process.env.CLIENT_SECRET ?? '',
    scopes: ['openid', 'email'],
    parameters: { access_type: 'offline', prompt: 'consent', hd: company },
  },
  identify: async ({ accessToken }) => {
    const headers = { authorization: `Bearer ${accessToken}` }
    const response = await fetch('https://openidconnect.googleapis.com/v1/userinfo', { headers })
    const { sub, hd } = await response.json()
    return { subject: sub, scopes: hd === company ? ['notes:read'] : [] }
  },
  scopes: ['notes:read'],
})

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', { description: 'Return the caller' }, (_, call) => `You are ${call.auth?.subject}`)

const protection = protect({ resource, verify: proxy, scopes: ['notes:read'] })
const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), ...protection })
console.log(`Listening at ${url}`)
