import { once } from 'node:events'
import { mkdtemp, readdir, stat } from 'node:fs/promises'
import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'portcall'
import { InvalidTokenError, jwt, protect, type Verifier } from 'portcall/auth/server'
import { nodeHandler } from 'portcall/node'
import { authorizationServer, type TestAuthorizationServer } from 'portcall/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { portcall, start, untilExit, untilOutput } from './support/portcall.ts'

let login: TestAuthorizationServer
let http: Server
let url: string
let rejectsTokens = false
let env: { PORTCALL_HOME: string }

beforeAll(async () => {
  login = await authorizationServer({ decide: () => ({ subject: 'ada' }), pollIntervalMs: 1000 })
  const server = createServer({ name: 'notes', version: '1.0.0' }).tool(
    'whoami',
    {},
    (_, call) => call.auth?.principal ?? 'nobody',
  )
  http = createHttpServer((request, response) => handler(request, response)).listen(0, '127.0.0.1')
  await once(http, 'listening')
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const { issuer } = login
  const signed = jwt({ issuer, jwksUri: `${issuer}/jwks` })
  const verify: Verifier['verify'] = async (...args) => {
    if (rejectsTokens) throw new InvalidTokenError('no more')
    return signed.verify(...args)
  }
  const handler = nodeHandler(server, protect({ resource: url, authorizationServers: [issuer], verify }))
  env = { PORTCALL_HOME: await mkdtemp(join(tmpdir(), 'portcall-home-')) }
})
afterAll(async () => {
  http.close()
  http.closeAllConnections()
  await login.close()
})

test('sign in, call, sign out', async () => {
  expect(await portcall(['call', url, 'whoami'], { env })).toMatchObject({
    code: 6,
    err: expect.stringContaining('portcall login'),
  })

  const child = start(['login', url, '--no-browser'], { env })
  const end = untilExit(child)
  const [, page = ''] = await untilOutput(child.stderr, /Sign in at (\S+)\n/)
  expect((await fetch(page)).ok).toBe(true)
  expect(await end).toMatchObject({ code: 0, out: '', err: expect.stringContaining(`signed in to ${url}`) })
  const dir = join(env.PORTCALL_HOME, 'logins')
  const [file = ''] = await readdir(dir)
  expect((await stat(join(dir, file))).mode & 0o077).toBe(0)

  expect(await portcall(['call', url, 'whoami'], { env })).toMatchObject({ code: 0, out: `${login.issuer}#ada\n` })
  expect(await portcall(['logout', url], { env })).toMatchObject({ code: 0, err: `signed out of ${url}\n` })
  expect(await portcall(['call', url, 'whoami'], { env })).toMatchObject({ code: 6 })
  expect(await portcall(['logout', url], { env })).toMatchObject({ code: 0, err: `not signed in to ${url}\n` })
})

test('sign in on another device, with a code', async () => {
  const child = start(['login', url, '--device'], { env })
  const end = untilExit(child)
  const [, page = '', code = ''] = await untilOutput(child.stderr, /Open (\S+) and enter the code (\S+)\n/)
  expect((await fetch(`${page}?user_code=${code}`)).ok).toBe(true)
  expect(await end).toMatchObject({ code: 0, out: '', err: expect.stringContaining(`signed in to ${url}`) })
  expect(await portcall(['call', url, 'whoami'], { env })).toMatchObject({ code: 0, out: `${login.issuer}#ada\n` })
  expect(await portcall(['logout', url], { env })).toMatchObject({ code: 0 })
})

test('tokens that cannot be refreshed cause an error, and no browser is opened', async () => {
  const child = start(['login', url, '--no-browser'], { env })
  const end = untilExit(child)
  const [, page = ''] = await untilOutput(child.stderr, /Sign in at (\S+)\n/)
  await fetch(page)
  await end
  rejectsTokens = true
  login.setFaults({ responses: { token: () => ({ status: 400, body: '{"error":"invalid_grant"}' }) } })
  const { code, err } = await portcall(['call', url, 'whoami'], { env })
  login.setFaults({})
  expect({ code, err }).toEqual({ code: 6, err: expect.stringMatching(/portcall login/) })
})

test('--debug shows each step and rule without a token, and stores nothing', async () => {
  rejectsTokens = false
  await portcall(['logout', url], { env })
  const child = start(['login', url, '--no-browser', '--debug'], { env })
  const end = untilExit(child)
  const [, page = ''] = await untilOutput(child.stderr, /Sign in at (\S+)\n/)
  expect((await fetch(page)).ok).toBe(true)
  const { code, out } = await end
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/✓ Challenge.*✓ Token request.*✓ Call with the token.*✓ Refresh/s),
  })
  expect(out).toContain('The authorization server supports PKCE with S256 (MCP 2026-07-28')
  expect(out).toMatch(/authorization: Bearer ••••\d/)
  expect(out).not.toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/)
  expect(await portcall(['logout', url], { env })).toMatchObject({ err: `not signed in to ${url}\n` })
})

test('--debug names the step that fails', async () => {
  login.setFaults({ metadata: { code_challenge_methods_supported: undefined } })
  const { code, out } = await portcall(['login', url, '--no-browser', '--debug', '--json'], { env })
  login.setFaults({})
  const { status, steps } = JSON.parse(out)
  expect({ code, status, last: steps.at(-1) }).toMatchObject({
    code: 6,
    status: 'failed',
    last: { step: 'server-metadata', status: 'failed' },
  })
})
