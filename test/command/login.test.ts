import { once } from 'node:events'
import { mkdtemp, readdir, stat } from 'node:fs/promises'
import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'portcall'
import { jwt, protect, TokenRefused, type Verifier } from 'portcall/auth/server'
import { nodeHandler } from 'portcall/node'
import { authorizationServer, type TestAuthorizationServer } from 'portcall/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ended, portcall, said, start } from './support/portcall.ts'

let login: TestAuthorizationServer
let http: Server
let url: string
let refusing = false
let env: { PORTCALL_HOME: string }

beforeAll(async () => {
  login = await authorizationServer({ decide: () => ({ subject: 'ada' }), lifetimes: { interval: 1 } })
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
  const verify: Verifier['verify'] = async (...given) => {
    if (refusing) throw new TokenRefused('no more')
    return signed.verify(...given)
  }
  const handler = nodeHandler(server, protect({ resource: url, authorizationServers: [issuer], verify }))
  env = { PORTCALL_HOME: await mkdtemp(join(tmpdir(), 'portcall-home-')) }
})
afterAll(async () => {
  http.close()
  http.closeAllConnections()
  await login.close()
})

test('in, used, out', async () => {
  expect(await portcall(['call', url, 'whoami'], { env })).toMatchObject({
    code: 6,
    err: expect.stringContaining('portcall login'),
  })

  const child = start(['login', url, '--no-browser'], { env })
  const end = ended(child)
  const [, page = ''] = await said(child.stderr, /Sign in at (\S+)\n/)
  expect((await fetch(page)).ok).toBe(true)
  expect(await end).toMatchObject({ code: 0, out: '', err: expect.stringContaining(`signed in to ${url}`) })
  const folder = join(env.PORTCALL_HOME, 'logins')
  const [file = ''] = await readdir(folder)
  expect((await stat(join(folder, file))).mode & 0o077).toBe(0)

  expect(await portcall(['call', url, 'whoami'], { env })).toMatchObject({ code: 0, out: `${login.issuer}#ada\n` })
  expect(await portcall(['logout', url], { env })).toMatchObject({ code: 0, err: `signed out of ${url}\n` })
  expect(await portcall(['call', url, 'whoami'], { env })).toMatchObject({ code: 6 })
  expect(await portcall(['logout', url], { env })).toMatchObject({ code: 0, err: `nobody has signed in to ${url}\n` })
})

test('in on another device, with a code', async () => {
  const child = start(['login', url, '--device'], { env })
  const end = ended(child)
  const [, page = '', code = ''] = await said(child.stderr, /Open (\S+) and type in (\S+)\n/)
  expect((await fetch(`${page}?user_code=${code}`)).ok).toBe(true)
  expect(await end).toMatchObject({ code: 0, out: '', err: expect.stringContaining(`signed in to ${url}`) })
  expect(await portcall(['call', url, 'whoami'], { env })).toMatchObject({ code: 0, out: `${login.issuer}#ada\n` })
  expect(await portcall(['logout', url], { env })).toMatchObject({ code: 0 })
})

test('tokens that cannot be refreshed any more ask for a login, and open nothing', async () => {
  const child = start(['login', url, '--no-browser'], { env })
  const end = ended(child)
  const [, page = ''] = await said(child.stderr, /Sign in at (\S+)\n/)
  await fetch(page)
  await end
  refusing = true
  login.set({ answers: { token: () => ({ status: 400, body: '{"error":"invalid_grant"}' }) } })
  const { code, err } = await portcall(['call', url, 'whoami'], { env })
  login.set({})
  expect({ code, err }).toEqual({ code: 6, err: expect.stringMatching(/portcall login/) })
})
