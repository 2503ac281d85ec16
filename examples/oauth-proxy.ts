/** A server whose users sign in with an identity provider that MCP clients cannot register with. */
import { createServer, generateKey } from 'portcall'
import { type OAuthProxyOptions, oauthProxy } from 'portcall/auth/proxy'
import { protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'

const resource = process.env.RESOURCE ?? 'https://notes.example.com/mcp'
const login = process.env.LOGIN ?? 'https://login.example.com'
const { store } = memoryStores()
const sealingKeys = [process.env.KEY ?? generateKey()]

// #region proxy
const identify: OAuthProxyOptions['identify'] = async ({ accessToken }) => {
  const response = await fetch(`${login}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })
  const { sub } = await response.json()
  return { subject: sub }
}

const proxy = oauthProxy({
  resource,
  upstream: {
    authorizationEndpoint: `${login}/authorize`,
    tokenEndpoint: `${login}/token`,
    clientId: 'notes',
    clientSecret: process.env.CLIENT_SECRET ?? 'secret',
    scopes: ['profile', 'files:read'],
  },
  identify,
  scopes: ['notes:read'],
  store,
  sealingKeys,
})
// #endregion

// #region call
const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('files', { scopes: ['notes:read'] }, async (_, call) => {
  const token = await proxy.upstreamToken(call.auth)
  const response = await fetch(`${login}/files`, { headers: { authorization: `Bearer ${token}` } })
  return response.text()
})

const serving = await serve(server, { port: Number(process.env.PORT ?? 3000), ...protect({ resource, verify: proxy }) })
// #endregion
console.log(serving.url)
