import {
  type AuthorizationServerOptions,
  authorizationServer,
  type IssuedTokenOptions,
  type TestAuthorizationServer,
} from 'portcall/testing'
import { expect, onTestFinished } from 'vitest'
import type { ProtectionOptions } from '../../server/protection.ts'
import type { Answer } from '../../support/connection.ts'
import { type Fields, type HttpServer, mirrors, modern, post, startHttp, write } from '../../support/http.ts'
import { freshId, INITIALIZE, request, textOf, tool } from '../../support/messages.ts'

/** A protected server in a process of its own, and its authorization server. */
export interface TokenServer {
  readonly server: HttpServer
  readonly login: TestAuthorizationServer
  readonly resource: string
  /** Issues a token, for the server unless the options differ. */
  issue(options?: IssuedTokenOptions): Promise<string>
  /** Signs a token whose valid claims and header are overridden by the arguments. */
  sign(claims?: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>
  /** Calls a tool with the headers. */
  call(fields: Fields): Promise<Answer>
  close(): Promise<void>
}

export interface TokenServerOptions {
  readonly login?: AuthorizationServerOptions
  readonly options?: ProtectionOptions['options']
}

/** Starts both servers until the test ends. */
export async function testTokenServer(choice: TokenServerOptions = {}): Promise<TokenServer> {
  const target = await startTokenServer(choice)
  onTestFinished(target.close)
  return target
}

/** Starts both servers. */
export async function startTokenServer({ login: choice = {}, options }: TokenServerOptions = {}): Promise<TokenServer> {
  const login = await authorizationServer(choice)
  const server = await startHttp({ protection: { issuer: login.issuer, ...(options && { options }) } })
  const resource = `http://127.0.0.1:${server.port}/mcp`
  return {
    server,
    login,
    resource,
    issue: (more = {}) => login.issue({ resources: [resource], ...more }),
    sign: (claims = {}, header = {}) =>
      login.sign({ sub: 'ada', aud: resource, jti: freshId(), ...claims }, { typ: 'at+jwt', ...header }),
    call: (fields) => server.send(modern('tools/call', tool('echo', { text: 'inside' }), fields)),
    async close() {
      server.kill()
      await login.close()
    },
  }
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** All kinds of requests to a server, as functions from headers to bytes. */
export const REQUESTS: ReadonlyArray<readonly [name: string, bytes: (fields: Record<string, string>) => string | Buffer]> = [
  ['a call', (fields) => modern('tools/call', tool('echo', { text: 'inside' }), fields)],
  ['discovery', (fields) => modern('server/discover', {}, fields)],
  ['a subscription', (fields) => modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, fields)],
  ['a handshake', (fields) => post(request('initialize', INITIALIZE), fields)],
  ['an invalid message', (fields) => post('no message', fields)],
  ['a stream', (fields) => write('GET', { Accept: 'text/event-stream', ...fields })],
  ['the end of a session', (fields) => write('DELETE', { 'Mcp-Session-Id': 'x', ...fields })],
  [
    'a message of the HTTP+SSE transport',
    (fields) => write('POST', { 'Content-Type': 'application/json', ...fields }, '{}', '/mcp?sessionId=x'),
  ],
  [
    'a call without a revision',
    (fields) => post(request('tools/call', tool('echo', { text: 'inside' })), { ...mirrors('x'), ...fields }),
  ],
]

/** Expects a 401 response with a challenge that reveals nothing else. */
export function expectRefused({ status, headers, body }: Answer, token?: string): void {
  expect(status).toBe(401)
  expect(headers['www-authenticate']).toMatch(
    /resource_metadata="http:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-protected-resource\/mcp"/,
  )
  expect(body).not.toContain('inside')
  if (token === undefined) return
  expect(headers['www-authenticate']).toMatch(/error="invalid_token"/)
  expect(JSON.stringify(headers) + body).not.toContain(token)
}

/** Expects a successful response. */
export function expectAccepted({ status, json }: Answer): void {
  expect([status, textOf(json)]).toEqual([200, 'inside'])
}
