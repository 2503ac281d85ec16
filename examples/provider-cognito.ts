import { createServer } from 'portcall'
import { oauthProxy } from 'portcall/auth/proxy'
import { protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'

const region = process.env.AWS_REGION ?? 'eu-west-1'
const login = `https://${process.env.COGNITO_DOMAIN}.auth.${region}.amazoncognito.com`
const resource = process.env.RESOURCE ?? 'https://notes.example.com/mcp'

const proxy = oauthProxy({
  resource,
  upstream: {
    issuer: `https://cognito-idp.${region}.amazonaws.com/${process.env.USER_POOL_ID}`,
    authorizationEndpoint: `${login}/oauth2/authorize`,
    tokenEndpoint: `${login}/oauth2/token`,
    clientId: process.env.CLIENT_ID ?? '',
    clientSecret: process.env.CLIENT_SECRET ?? '',
    scopes: ['openid'],
  },
  identify: async ({ accessToken }) => {
    const response = await fetch(`${login}/oauth2/userInfo`, { headers: { authorization: `Bearer ${accessToken}` } })
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
