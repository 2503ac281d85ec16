import {
  type AuthorizationServerOptions,
  authorizationServer,
  type TestAuthorizationServer,
  type TokenOptions,
} from 'portcall/testing'
import { expect, onTestFinished } from 'vitest'
import type { Guarding } from '../../server/guarding.ts'
import type { Answer } from '../../support/connection.ts'
import { type Fields, type HttpServer, mirrors, modern, post, startHttp, write } from '../../support/http.ts'
import { freshId, INITIALIZE, request, textOf, tool } from '../../support/messages.ts'

/** A server in a process of its own that wants tokens, and who gives them. */
export interface Guarded {
  readonly server: HttpServer
  readonly login: TestAuthorizationServer
  readonly resource: string
  /** A token for the server, unless something else is said. */
  issue(options?: TokenOptions): Promise<string>
  /** Signs claims that are right but for what is given; the header too. */
  sign(claims?: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>
  /** Calls a tool with these headers. */
  call(fields: Fields): Promise<Answer>
  close(): Promise<void>
}

export interface GuardedChoice {
  readonly login?: AuthorizationServerOptions
  readonly options?: Guarding['options']
}

/** Starts both until the test is over. */
export async function testGuarded(choice: GuardedChoice = {}): Promise<Guarded> {
  const guarded = await startGuarded(choice)
  onTestFinished(guarded.close)
  return guarded
}

/** Starts both. */
export async function startGuarded({ login: choice = {}, options }: GuardedChoice = {}): Promise<Guarded> {
  const login = await authorizationServer(choice)
  const server = await startHttp({ guarding: { issuer: login.issuer, ...(options && { options }) } })
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

/** All ways into a server, each as bytes with headers. */
export const WAYS: ReadonlyArray<readonly [name: string, bytes: (fields: Record<string, string>) => string | Buffer]> = [
  ['a call', (fields) => modern('tools/call', tool('echo', { text: 'inside' }), fields)],
  ['discovery', (fields) => modern('server/discover', {}, fields)],
  ['a subscription', (fields) => modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, fields)],
  ['a handshake', (fields) => post(request('initialize', INITIALIZE), fields)],
  ['what is no message', (fields) => post('no message', fields)],
  ['a stream', (fields) => write('GET', { Accept: 'text/event-stream', ...fields })],
  ['an end', (fields) => write('DELETE', { 'Mcp-Session-Id': 'x', ...fields })],
  [
    'a message of the first transport',
    (fields) => write('POST', { 'Content-Type': 'application/json', ...fields }, '{}', '/mcp?sessionId=x'),
  ],
  [
    'a call of no revision',
    (fields) => post(request('tools/call', tool('echo', { text: 'inside' })), { ...mirrors('x'), ...fields }),
  ],
]

/** The server has refused a token, says so, and says nothing else. */
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

/** The server takes a token. */
export function expectTaken({ status, json }: Answer): void {
  expect([status, textOf(json)]).toEqual([200, 'inside'])
}
