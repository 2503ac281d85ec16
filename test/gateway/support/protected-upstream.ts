import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'portcall'
import { jwt, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'
import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer } from 'portcall/testing'
import { onTestFinished } from 'vitest'

/** A protected server over HTTP, what arrived at it, and the server that issues its tokens. */
export interface ProtectedUpstream {
  readonly url: string
  readonly login: TestAuthorizationServer
  /** The method, path, headers and body of each request that arrived. */
  readonly wire: string[]
}

/** Returns a free port of this machine. */
export async function findPort(): Promise<number> {
  const server = createHttpServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts a server with the tool `whoami`, which needs an access token of an authorization server of its own. */
export async function startProtectedUpstream(options: AuthorizationServerOptions = {}): Promise<ProtectedUpstream> {
  const login = await authorizationServer(options)
  const port = await findPort()
  const proxyPort = await findPort()
  const url = `http://127.0.0.1:${proxyPort}/mcp`
  const server = createServer({ name: 'notes', version: '1' }).tool('whoami', {}, (_input: object, call) =>
    String(call.auth?.subject ?? call.auth?.principal),
  )
  const verify = jwt({ issuer: login.issuer, jwksUri: `${login.issuer}/jwks` })
  const served = await serve(server, {
    ...protect({ resource: url, authorizationServers: [login.issuer], verify }),
    port,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
  })
  const wire = await startWireProxy(proxyPort, port)
  onTestFinished(async () => {
    await served.close()
    await login.close()
  })
  return { url, login, wire }
}

/** Forwards requests to another port until the test ends. Returns what arrives: the method, path, headers and body of each request. */
export async function startWireProxy(proxyPort: number, port: number): Promise<string[]> {
  const wire: string[] = []
  const proxy = createHttpServer((incoming, response) => {
    const { method, url: path, headers } = incoming
    const entry = { text: `${method} ${path} ${JSON.stringify(incoming.rawHeaders)} ` }
    const outgoing = send({ host: '127.0.0.1', port, method, path, headers }, (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.on('data', (chunk) => (entry.text += String(chunk)))
    incoming.on('end', () => wire.push(entry.text))
    incoming.pipe(outgoing)
  }).listen(proxyPort, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  return wire
}

/** A browser with cookies, which opens links as a user does. */
export function createBrowser(user?: string) {
  const cookies = new Map<string, string>()
  const fetchPage = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    // Each page is loaded on a connection of its own, so that the workers of a gateway take turns.
    const headers = {
      connection: 'close',
      ...(cookie && { cookie }),
      ...(user !== undefined && { 'x-test-user': user }),
      ...init.headers,
    }
    const response = await fetch(url, { ...init, redirect: 'manual', headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }
  const follow = async (response: Response): Promise<Response> => {
    const location = response.headers.get('location')
    return location === null ? response : follow(await fetchPage(location))
  }
  return {
    fetchPage,
    follow,
    /** Opens a link, follows the redirects, confirms, signs in and returns. Resolves to the last page. */
    async connect(link: string): Promise<{ status: number; text: string }> {
      const page = await follow(await fetchPage(link))
      const text = await page.text()
      if (page.status !== 200) return { status: page.status, text }
      const last = await follow(await fetchPage(link, { method: 'POST' }))
      return { status: last.status, text: await last.text() }
    },
  }
}
