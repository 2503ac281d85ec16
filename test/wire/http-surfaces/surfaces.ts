/** Every HTTP surface that Portcall serves, on a port of this machine. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, generateKey, type Server } from 'portcall'
import { oauthProxy } from 'portcall/auth/proxy'
import { protect } from 'portcall/auth/server'
import { browserLogin, createGateway, toolSets, userAccounts } from 'portcall/gateway'
import { serveAdmin } from 'portcall/gateway/admin'
import { inspectorHandler, serveInspector } from 'portcall/inspector'
import { nodeHandler, type ServeOptions, serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { authorizationServer } from 'portcall/testing'
import { listenOverHttp } from '../../../packages/cli/src/gateway/listen.ts'
import { startPageServer } from '../../../packages/cli/src/gateway/page-server.ts'
import { startCallbackServer } from '../../../packages/cli/src/login/callback-server.ts'
import { startLoopbackServer } from '../../../packages/portcall/src/auth/client/node/loopback.ts'
import { freePort } from '../../support/free-port.mjs'

/** A surface that is listening. */
export interface Surface {
  readonly port: number
  /** Paths that lead to different parts of it. */
  readonly paths: readonly string[]
  close(): Promise<unknown> | void
}

const TOKEN = 'a-token-that-is-long-enough-to-be-accepted'

function exampleServer(): Server {
  const server = createServer({ name: 'example', version: '1.0.0' })
  return server.tool('echo', {}, () => 'hello')
}

async function serving(options: ServeOptions = {}): Promise<Surface> {
  const { url, close } = await serve(exampleServer(), { port: 0, handleProcessSignals: false, drainTimeoutMs: 0, ...options })
  return { port: Number(new URL(url).port), paths: ['/mcp', '/livez', '/readyz'], close }
}

async function listening(handler: RequestListener, paths: readonly string[], close: () => unknown = () => {}): Promise<Surface> {
  const server = createHttpServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    paths,
    async close() {
      server.closeAllConnections()
      server.close()
      await close()
    },
  }
}

/** A folder in place of the built page of the inspector. */
function pageFolder(): { readonly assets: string; remove(): void } {
  const assets = mkdtempSync(join(tmpdir(), 'portcall-page-'))
  writeFileSync(join(assets, 'index.html'), '<!doctype html>')
  return { assets, remove: () => rmSync(assets, { recursive: true }) }
}

async function startGatewayWithAccounts(): Promise<Surface> {
  const company = await authorizationServer()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const [store, sealingKeys] = [memoryStores().store, [generateKey()]]
  const protection = protect({ resource: `${origin}/mcp`, authorizationServers: [company.issuer], verify: async () => undefined })
  const { authenticate } = protection
  const identify = browserLogin({ origin, issuer: company.issuer, resource: `${origin}/mcp`, authenticate, store, sealingKeys })
  const accounts = userAccounts({ origin, servers: { notes: {} }, identify, store, sealingKeys })
  const gateway = createGateway({ servers: { notes: { target: exampleServer() } }, middleware: [accounts.middleware] })
  const { close } = await serve(gateway, {
    ...protection,
    port,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
    allowedHosts: ['127.0.0.1'],
    onRequest: (request) => accounts.onRequest(request) ?? protection.onRequest(request),
  })
  return {
    port,
    paths: ['/mcp', '/connect/x', '/connect/callback', '/connect/login', '/.well-known/oauth-protected-resource/mcp'],
    async close() {
      await close()
      await gateway.close()
      await company.close()
    },
  }
}

async function startProxy(): Promise<Surface> {
  const port = await freePort()
  const resource = `http://127.0.0.1:${port}/mcp`
  const proxy = oauthProxy({
    resource,
    upstream: {
      authorizationEndpoint: 'http://127.0.0.1:9/authorize',
      tokenEndpoint: 'http://127.0.0.1:9/token',
      clientId: 'notes',
      clientSecret: 'secret',
    },
    identify: () => ({ subject: 'ada' }),
    store: memoryStores().store,
    sealingKeys: [generateKey()],
  })
  const surface = await serving({ port, ...protect({ resource, verify: proxy }) })
  const paths = ['/authorize', '/token', '/register', '/revoke', '/callback', '/.well-known/oauth-authorization-server']
  return { ...surface, paths: [...paths, ...paths.map((path) => `/oauth${path}`), '/mcp'] }
}

async function startSets(): Promise<Surface> {
  const gateway = createGateway({
    servers: { notes: { target: exampleServer() } },
    middleware: [toolSets({ sets: { small: { tools: ['*'] } }, path: '/mcp' })],
  })
  const flags = { port: '0', host: undefined, path: undefined, 'allow-host': [], 'allow-origin': [], 'insecure-no-auth': false }
  const { url, close } = await listenOverHttp(gateway, { config: undefined, flags, paths: () => ['small'] })
  return {
    port: Number(new URL(url).port),
    paths: ['/mcp', '/mcp/small', '/mcp/none', '/mcp/%'],
    async close() {
      await close()
      await gateway.close()
    },
  }
}

async function startInspector(): Promise<Surface> {
  const { assets, remove } = pageFolder()
  const { url, close } = await serveInspector({ info: { name: 'inspector', version: '1.0.0' }, assets })
  return {
    port: Number(new URL(url).port),
    paths: ['/', '/api/command', '/api/events', '/oauth/callback', '/open/x'],
    async close() {
      await close()
      remove()
    },
  }
}

async function startMountedInspector(): Promise<Surface> {
  const { assets, remove } = pageFolder()
  const handler = inspectorHandler(exampleServer(), { assets })
  const paths = [
    '/inspector',
    '/inspector/',
    '/inspector/api/command',
    '/inspector/api/events',
    '/inspector/oauth/callback',
    '/other',
  ]
  return listening(handler, paths, async () => {
    await handler.close()
    remove()
  })
}

async function startAdmin(): Promise<Surface> {
  const gateway = createGateway({ servers: { notes: { target: exampleServer() } } })
  const actions = {
    status: () => gateway.status(),
    reload: async () => {},
    restart: async () => {},
    enable: async () => {},
    disable: async () => {},
  }
  const { port, close } = await serveAdmin(actions, { token: TOKEN })
  const paths = ['/status', '/livez', '/readyz', '/servers/notes/restart', '/servers/%/restart', '/approvals/x/approve']
  return { port, paths, close: async () => void (await Promise.all([close(), gateway.close()])) }
}

async function startPages(): Promise<Surface> {
  const pages = await startPageServer()
  pages.serve(() => ({ status: 200, body: 'page' }))
  return { port: Number(new URL(pages.origin).port), paths: ['/', '/connect/x'], close() {} }
}

async function startCallback(): Promise<Surface> {
  const { redirectUri, close } = await startCallbackServer(() => true)
  return { port: Number(new URL(redirectUri).port), paths: ['/callback'], close }
}

async function startLoopback(): Promise<Surface> {
  const server = await startLoopbackServer(new URL('http://127.0.0.1/callback'), [])
  return { port: Number(new URL(server.redirectUri).port), paths: ['/callback'], close: () => server.close() }
}

async function startTestAuthorizationServer(): Promise<Surface> {
  const { issuer, close } = await authorizationServer()
  const paths = ['/authorize', '/token', '/register', '/jwks', '/introspect', '/.well-known/oauth-authorization-server']
  return { port: Number(new URL(issuer).port), paths, close }
}

const page = {
  path: '/metrics',
  contentType: 'text/plain',
  isAllowed: (authorization: string | undefined) => authorization === `Bearer ${TOKEN}`,
  render: async () => '',
  observe: () => () => {},
}

export const SURFACES: { readonly [name: string]: () => Promise<Surface> } = {
  'serve()': () => serving(),
  'serve() without the fast path': () => serving({ fastPath: false }),
  'serve() at the root': async () => ({ ...(await serving({ path: '/' })), paths: ['/'] }),
  'serve() with metrics': async () => ({ ...(await serving({ metrics: page })), paths: ['/metrics', '/mcp'] }),
  'nodeHandler()': () => listening(nodeHandler(exampleServer()), ['/']),
  'the pages of user accounts': startGatewayWithAccounts,
  'an OAuth proxy': startProxy,
  'a gateway with sets': startSets,
  'the admin endpoint': startAdmin,
  'the inspector': startInspector,
  'a mounted inspector': startMountedInspector,
  'the page server of a stdio gateway': startPages,
  'the callback of the OAuth debugger': startCallback,
  'the callback of a sign-in': startLoopback,
  'the authorization server for tests': startTestAuthorizationServer,
}
