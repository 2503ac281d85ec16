import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { vi } from 'vitest'
import { cleanup } from '../../../test-kit/peer.ts'
import type { AuthProvider } from '../../protocol/authorizer.ts'
import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer } from '../../testing.ts'
import { createRemote, type Remote } from '../../transports/http/remote.ts'

/** A protected server: what it says of itself can be changed at any time. */
export interface Protected {
  readonly url: string
  /** The requests to the endpoint, with what became of them. */
  readonly calls: { status: number; token: string | undefined; subject?: unknown }[]
  /** The requests for documents. */
  readonly documents: string[]
  /** Who issues tokens for it. */
  login: TestAuthorizationServer
  /** The scopes that a call needs. */
  needs: string
  /** Laid over its metadata; nothing: it has none. */
  metadata: Record<string, unknown> | undefined
  /** Parameters of its challenges. */
  challenge: Record<string, string>
  /** Takes the place of an answer. */
  answer?: ((token: string | undefined) => { status: number; headers?: Record<string, string> } | undefined) | undefined
}

/** Starts an authorization server. */
export async function startLogin(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const login = await authorizationServer(options)
  cleanup(() => login.close())
  return login
}

/** Starts a protected server and its authorization server. */
export async function protect(options: AuthorizationServerOptions = {}): Promise<Protected> {
  const site = { calls: [], documents: [], login: await startLogin(options), needs: '', metadata: {}, challenge: {} } as any
  const server = createServer(async ({ url = '', headers, method }, response) => {
    if (method === 'GET') {
      site.documents.push(url)
      const isThere = url === '/.well-known/oauth-protected-resource/mcp' && site.metadata
      const document = { resource: site.url, authorization_servers: [site.login.issuer], ...site.metadata }
      response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' }).end(isThere ? JSON.stringify(document) : '')
      return
    }
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    const claims = await check(site, token)
    const verdict = site.answer?.(token) ?? judge(site, claims)
    site.calls.push({ status: verdict.status, token, subject: claims?.sub })
    response.writeHead(verdict.status, verdict.headers).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanup(() => {
    server.close()
    server.closeAllConnections()
  })
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return site
}

async function check({ login, url }: Protected, token: string | undefined): Promise<JWTPayload | undefined> {
  if (token === undefined) return undefined
  const keys = createRemoteJWKSet(new URL(`${login.issuer}/jwks`))
  const options = { issuer: login.issuer, audience: url }
  return jwtVerify(token, keys, options).then(
    ({ payload }) => payload,
    () => undefined,
  )
}

function judge({ needs, challenge }: Protected, claims: JWTPayload | undefined) {
  const held = String(claims?.scope ?? '').split(' ')
  const lacks = needs !== '' && needs.split(' ').some((scope) => !held.includes(scope))
  if (claims && !lacks) return { status: 200 }
  const error = claims ? { error: 'insufficient_scope' } : {}
  const parameters = { ...challenge, ...error, ...(needs && { scope: needs }) }
  const text = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return { status: claims ? 403 : 401, headers: { 'www-authenticate': `Bearer ${text.join(', ')}` } }
}

/** A client of a protected server. */
export function openRemote(url: string, auth: AuthProvider): Remote & { call(signal?: AbortSignal): Promise<number> } {
  const remote = createRemote({ url, authorizer: auth.authorizer(new URL(url)) })
  cleanup(() => remote.close())
  return {
    ...remote,
    async call(signal) {
      const call = await remote.send({ method: 'POST', headers: {}, body: '{}', caller: signal && { signal } })
      call.release()
      return call.status
    },
  }
}

/** A browser without a window: goes to where it is sent, and follows it back. */
export async function headless(url: URL): Promise<void> {
  const page = await fetch(url, { redirect: 'manual' })
  const location = page.headers.get('location')
  if (location === null) throw new Error(`${page.status} ${await page.text()}`)
  await fetch(location)
}

/** Does something at a later time, as far as clients know. */
export async function later<T>(ms: number, run: () => Promise<T>): Promise<T> {
  const time = Date.now() + ms
  const now = vi.spyOn(Date, 'now').mockImplementation(() => time)
  try {
    return await run()
  } finally {
    now.mockRestore()
  }
}
