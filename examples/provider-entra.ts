import { createServer } from 'portcall'
import { oauthProxy } from 'portcall/auth/proxy'
import { protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

const tenant = process.env.TENANT_ID ?? '' // the GUID of your tenant
const login = `https://login.microsoftonline.com/${tenant}`
const resource = process.env.RESOURCE ?? 'https://notes.example.com/mcp'

const proxy = oauthProxy({
  resource,
  upstream: {
    issuer: `${login}/v2.0`,
    authorizationEndpoint: `${login}/oauth2/v2.0/authorize`,
    tokenEndpoint: `${login}/oauth2/v2.0/token`,
    clientId: process.env.CLIENT_ID ?? '',
    clientSecret: process.env.CLIENT_SECRET ?? '',
    scopes: ['openid', 'profile', 'offline_access', 'User.Read'],
  },
  identify: async ({ accessToken }) => {
    const headers = { authorization: `Bearer ${accessToken}` }
    const response = await fetch('https://graph.microsoft.com/v1.0/me?$select=id', { headers })
    const { id } = await response.json()
    return { subject: id }
  },
  scopes: ['notes:read'],
})

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', { description: 'Return the caller' }, (_, call) => `You are ${call.auth?.subject}`)

const protection = protect({ resource, verify: proxy, scopes: ['notes:read'] })
const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), ...protection })
console.log(`Listening at ${url}`)
