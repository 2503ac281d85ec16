import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jwt, protect } from 'portcall/auth/server'
import { createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { authorizationServer } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import { findPort } from './support/protected-upstream.ts'

const MESSAGE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const ROUTES: readonly [method: string, headers: Record<string, string>][] = [
  ['POST', { ...HEADERS, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }],
  ['POST', { ...HEADERS, 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': 'guessed' }],
  ['GET', { accept: 'text/event-stream' }],
  ['GET', { accept: 'text/event-stream', 'mcp-session-id': 'guessed', 'last-event-id': '1' }],
  ['DELETE', { 'mcp-session-id': 'guessed' }],
]

test('each route refuses missing, malformed, expired, foreign and unsigned tokens, and sends nothing to servers', async () => {
  const login = await authorizationServer()
  let connections = 0
  const upstream = createHttpServer().on('connection', () => connections++)
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const target = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`
  const port = await findPort()
  const resource = `http://127.0.0.1:${port}/mcp`
  const gateway = createGateway({ servers: { notes: target } })
  const verify = jwt({ issuer: login.issuer, jwksUri: `${login.issuer}/jwks` })
  const options = { port, handleProcessSignals: false, drainTimeoutMs: 0 }
  const { close } = await serve(gateway, { ...protect({ resource, authorizationServers: [login.issuer], verify }), ...options })
  onTestFinished(async () => {
    await close()
    await gateway.close()
    await login.close()
    upstream.close()
  })
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: login.issuer, sub: 'ada', aud: resource, exp: Math.floor(Date.now() / 1000) + 300 }
  const tokens: { readonly [kind: string]: string | undefined } = {
    none: undefined,
    malformed: 'x'.repeat(40),
    expired: await login.issue({ subject: 'ada', resources: [resource], ttlMs: -3_600_000 }),
    'wrong audience': await login.issue({ subject: 'ada', resources: ['https://other.example/mcp'] }),
    unsigned: `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(claims)}.`,
  }
  for (const [kind, token] of Object.entries(tokens))
    for (const [method, headers] of ROUTES) {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const body = method === 'POST' ? { body: MESSAGE } : {}
      const { status } = await fetch(resource, { method, headers: { ...headers, ...authorization }, ...body })
      expect([kind, method, status]).toEqual([kind, method, 401])
    }
  expect(connections).toBe(0)
})
