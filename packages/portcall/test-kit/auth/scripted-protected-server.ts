import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { vi } from 'vitest'
import type { AuthProvider } from '../../src/protocol/authorizer.ts'
import { authorizationServer, type TestAuthorizationServer } from '../../src/testing/oauth/authorization-server.ts'
import type { AuthorizationServerOptions } from '../../src/testing/oauth/options.ts'
import { createHttpClient, type HttpClient } from '../../src/transports/http/client/http-client.ts'
import { onTestEnd } from '../scripted-server.ts'

/** A protected MCP endpoint, whose behavior tests can change at any time. */
export interface ProtectedServer {
  readonly url: string
  /** The requests to the endpoint with the status of their responses. */
  readonly calls: { status: number; token: string | undefined; subject?: unknown }[]
  /** The paths of the requests for metadata. */
  readonly documents: string[]
  /** The authorization server that issues its tokens. */
  login: TestAuthorizationServer
  /** The scopes that a call needs. */
  requiredScope: string
  /** Overrides members of its metadata. `undefined`: it has no metadata. */
  metadata: Record<string, unknown> | undefined
  /** Additional parameters of its challenges. */
  challenge: Record<string, string>
  /** Returns a response that replaces the regular one. */
  respond?: ((token: string | undefined) => { status: number; headers?: Record<string, string> } | undefined) | undefined
}

/** Starts an authorization server. */
export async function startAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const login = await authorizationServer(options)
  onTestEnd(() => login.close())
  return login
}

/** Starts a protected server and its authorization server. */
export async function startProtectedServer(options: AuthorizationServerOptions = {}): Promise<ProtectedServer> {
  const login = await startAuthorizationServer(options)
  const state: ProtectedServer = { url: '', calls: [], documents: [], login, requiredScope: '', metadata: {}, challenge: {} }
  const server = createServer(async ({ url = '', headers, method }, response) => {
    if (method === 'GET') {
      state.documents.push(url)
      const exists = url === '/.well-known/oauth-protected-resource/mcp' && state.metadata
      const document = { resource: state.url, authorization_servers: [state.login.issuer], ...state.metadata }
      response.writeHead(exists ? 200 : 404, { 'content-type': 'application/json' }).end(exists ? JSON.stringify(document) : '')
      return
    }
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    const claims = await verify(state, token)
    const outcome = state.respond?.(token) ?? authorize(state, claims)
    state.calls.push({ status: outcome.status, token, subject: claims?.sub })
    response.writeHead(outcome.status, outcome.headers).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` })
}

async function verify({ login, url }: ProtectedServer, token: string | undefined): Promise<JWTPayload | undefined> {
  if (token === undefined) return undefined
  const keys = createRemoteJWKSet(new URL(`${login.issuer}/jwks`))
  const options = { issuer: login.issuer, audience: url }
  return jwtVerify(token, keys, options).then(
    ({ payload }) => payload,
    () => undefined,
  )
}

function authorize({ requiredScope, challenge }: ProtectedServer, claims: JWTPayload | undefined) {
  const granted = String(claims?.scope ?? '').split(' ')
  const lacksScopes = requiredScope !== '' && requiredScope.split(' ').some((scope) => !granted.includes(scope))
  if (claims && !lacksScopes) return { status: 200 }
  const error = claims ? { error: 'insufficient_scope' } : {}
  const parameters = { ...challenge, ...error, ...(requiredScope && { scope: requiredScope }) }
  const text = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return { status: claims ? 403 : 401, headers: { 'www-authenticate': `Bearer ${text.join(', ')}` } }
}
/** Opens an HTTP client of a protected server. `call` sends a request and returns its status. */
export function openClient(url: string, auth: AuthProvider): HttpClient & { call(signal?: AbortSignal): Promise<number> } {
  const client = createHttpClient({ url, authorizer: auth.authorizer(new URL(url)) })
  onTestEnd(() => client.close())
  return {
    ...client,
    async call(signal) {
      const call = await client.send({ method: 'POST', headers: {}, body: '{}', abortSource: signal && { signal } })
      call.release()
      return call.status
    },
  }
}

/** Simulates a browser: opens the URL and follows the redirect to the client. */
export async function headlessBrowser(url: URL): Promise<void> {
  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`${response.status} ${await response.text()}`)
  await fetch(location)
}

/** Runs a task with the clock of clients set forward. */
export async function atLaterTime<T>(ms: number, run: () => Promise<T>): Promise<T> {
  const time = Date.now() + ms
  const now = vi.spyOn(Date, 'now').mockImplementation(() => time)
  try {
    return await run()
  } finally {
    now.mockRestore()
  }
}
