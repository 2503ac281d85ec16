import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'portcall/auth/server'
import { type ForeignServer, SCOPES } from '../../support/server.ts'
import { createAuth, createRegistry, createTables } from './auth.ts'
import { createPages } from './pages.ts'

/** better-auth with its OAuth provider, tables in memory, and JWTs. */
export const server: ForeignServer = {
  name: 'better-auth',
  title: 'better-auth 1.7.5',
  lacks: { 'rejected token': 'its access tokens are JWTs, which are valid until they expire' },
  async start({ url }) {
    const listener = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
    const issuer = `${origin}/api/auth`
    const tables = createTables()
    const auth = await createAuth(origin, url, tables)
    const register = await createRegistry(auth, url)
    const app = await register({ redirect_uris: ['http://127.0.0.1/callback'], application_type: 'native' })
    const program = await register({ grant_types: ['client_credentials'], client_credentials_scopes: SCOPES })
    const device = await register({
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      scope: [...SCOPES, 'offline_access'].join(' '),
    })
    const kept: unknown[] = [app, program, device].map(({ clientId }) => clientId)
    const handle = toNodeHandler(auth)
    const pages = createPages({ auth, origin })
    listener.on('request', (request, response) => {
      if (request.url?.startsWith('/api/auth/')) return void handle(request, response)
      pages(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
    })
    return {
      issuer,
      verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }),
      clients: { app, program, device },
      async forgetClients() {
        const isKept = (row: { clientId?: unknown }): boolean => kept.includes(row.clientId)
        for (const name of ['oauthClient', 'oauthClientResource']) tables[name] = tables[name]?.filter(isKept) ?? []
      },
      async revokeTokens() {
        for (const name of ['oauthRefreshToken', 'oauthAccessToken']) tables[name] = []
      },
      async close() {
        const closed = new Promise((resolve) => listener.close(resolve))
        listener.closeAllConnections()
        await closed
      },
    }
  },
}
