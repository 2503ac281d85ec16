import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'portcall'
import { jwt, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'
import { authorizationServer, type TestAuthorizationServer, textOf } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import { connectByBrowser, explain } from '../../examples/sign-in.ts'
import { connectByDevice, connectByPage } from '../../examples/sign-in-elsewhere.ts'
import { connectAsProgram, connectWithTokens } from '../../examples/sign-in-tokens.ts'
import { freePort } from '../support/free-port.mjs'

/** Starts a server that returns its caller, and its authorization server. */
async function open(): Promise<{ url: string; login: TestAuthorizationServer }> {
  const clients = [{ client_id: 'nightly', client_secret: 'hush' }]
  const login = await authorizationServer({ clients })
  const url = `http://127.0.0.1:${await freePort()}/mcp`
  const verify = jwt({ issuer: login.issuer, jwksUri: `${login.issuer}/jwks` })
  const server = createServer({ name: 'protected', version: '1.0.0' })
  server.tool('who', {}, (_args, call) => call.auth?.principal ?? 'nobody')
  const protection = protect({ resource: url, authorizationServers: [login.issuer], verify })
  const serving = await serve(server, { port: Number(new URL(url).port), handleProcessSignals: false, ...protection })
  onTestFinished(async () => {
    await serving.close()
    await login.close()
  })
  return { url, login }
}

async function back(page: URL): Promise<string> {
  return (await fetch(page, { redirect: 'manual' })).headers.get('location') ?? ''
}

async function whoAmI(client: Awaited<ReturnType<typeof connectByBrowser>>): Promise<string> {
  await using used = client
  return textOf(await used.callTool('who'))
}

test('by a browser, once for all processes that share the file', async () => {
  const { url, login } = await open()
  const folder = await mkdtemp(join(tmpdir(), 'portcall-sign-in-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const show = async (page: URL): Promise<void> => void (await fetch(await back(page)))
  for (let run = 0; run < 2; run++) expect(await whoAmI(await connectByBrowser(url, folder, { open: show }))).toContain('user')
  expect(login.requestsTo('authorize').length).toBe(1)
  expect((await stat(join(folder, 'tokens.json'))).mode & 0o777).toBe(0o600)
})

test('on another device', async () => {
  const { url, login } = await open()
  const show = async (text: string): Promise<void> => {
    const [, page = '', code = ''] = /^Open (\S+) and type in (\S+)$/.exec(text) ?? []
    await fetch(`${page}?user_code=${code}`)
  }
  expect(await whoAmI(await connectByDevice(url, show))).toContain('user')
  expect(login.requestsTo('device').length).toBe(1)
})

test('by a page of its own', async () => {
  const { url } = await open()
  expect(await whoAmI(await connectByPage(url, back))).toContain('user')
})

test('as a program', async () => {
  const { url } = await open()
  expect(await whoAmI(await connectAsProgram(url, 'nightly', 'hush'))).toContain('nightly')
})

test('with externally issued tokens', async () => {
  const { url, login } = await open()
  const good = await login.issue({ subject: 'ada', resources: [url] })
  const asked: boolean[] = []
  const readToken = async (isRefused: boolean): Promise<string> => {
    asked.push(isRefused)
    return isRefused ? good : 'stale'
  }
  expect(await whoAmI(await connectWithTokens(url, readToken))).toContain('ada')
  expect(asked.slice(0, 2)).toEqual([false, true])
})

test('with a failed sign-in', async () => {
  const { url, login } = await open()
  login.setFaults({ redirect: { code: undefined, error: 'access_denied' } })
  expect(await connectByPage(url, back).catch(explain)).toBe('You did not sign in.')
  login.setFaults({ metadata: { code_challenge_methods_supported: undefined } })
  expect(await connectByPage(url, back).catch(explain)).toContain('PKCE')
  expect(() => explain(new Error('something else'))).toThrow('something else')
})
