import { createServer, generateKey } from 'portcall'
import { oauthProxy } from 'portcall/auth/proxy'
import { protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'

const resource = process.env.RESOURCE ?? 'https://notes.example.com/mcp'
const login = process.env.LOGIN ?? 'https://login.example.com'
const { store } = memoryStores() // use a database in production

const proxy = oauthProxy({
  resource,
  upstream: {
    authorizationEndpoint: `${login}/authorize`,
    tokenEndpoint: `${login}/token`,
    clientId: process.env.CLIENT_ID ?? 'notes',
    clientSecret: process.env.CLIENT_SECRET ?? 'secret',
    scopes: ['openid', 'profile', 'files:read'],
  },
  identify: async ({ accessToken }) => {
    const response = await fetch(`${login}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })
    const { sub } = await response.json()
    return { subject: sub }
  },
  scopes: ['notes:read'],
  store,
  sealingKeys: [process.env.SEALING_KEY ?? generateKey()],
})

const server = createServer({ name: 'notes', version: '1.0.0' })

server.tool('files', { description: 'List the files of the user', scopes: ['notes:read'] }, async (_, call) => {
  const token = await proxy.upstreamToken(call.auth)
  const response = await fetch(`${login}/files`, { headers: { authorization: `Bearer ${token}` } })
  return response.text()
})

const protection = protect({ resource, verify: proxy, scopes: ['notes:read'] })
const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), ...protection })
console.log(`Listening at ${url}`)
