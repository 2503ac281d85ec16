import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { createServer } from 'portcall'
import { jwt, protect } from 'portcall/auth/server'
import type { Client } from 'portcall/client'
import { nodeHandler } from 'portcall/node'
import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer, textOf } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import {
  connectAsWorkload,
  connectBound,
  connectInCompany,
  connectWithKey,
  connectWithSecret,
} from '../../examples/sign-in-programs.ts'

async function startLogin(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const login = await authorizationServer(options)
  onTestFinished(() => login.close())
  return login
}

/** Starts a local protected server that returns its caller. */
async function startServer({ issuer }: TestAuthorizationServer): Promise<string> {
  const server = createServer({ name: 'notes', version: '1.0.0' })
  server.tool('whoami', {}, (_, { auth }) => auth?.principal ?? 'nobody')
  const http = createHttpServer((request, response) => handler(request, response)).listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => http.close().closeAllConnections())
  const resource = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const verify = jwt({ issuer, jwksUri: `${issuer}/jwks` })
  const handler = nodeHandler(server, protect({ resource, authorizationServers: [issuer], verify, dpop: true }))
  return resource
}

/** The client id that the identity provider maps to. */
const KNOWN_AS: Record<string, string> = {}

async function callerOf(client: Client): Promise<string> {
  const principal = textOf(await client.callTool('whoami'))
  await client.close()
  return principal
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-sign-in-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('a program with a secret', async () => {
  const login = await startLogin({ clients: [{ client_id: 'nightly', client_secret: 's' }] })
  const url = await startServer(login)
  expect(await callerOf(await connectWithSecret(url, login.issuer, 's'))).toBe(`${login.issuer}#nightly`)
})

test('a program with a key', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const login = await startLogin({ clients: [{ client_id: 'nightly', jwks: { keys: [await exportJWK(publicKey)] } }] })
  const url = await startServer(login)
  const client = await connectWithKey(url, login.issuer, await exportPKCS8(privateKey))
  expect(await callerOf(client)).toBe(`${login.issuer}#nightly`)
})

test('an enterprise user', async () => {
  const sso = await startLogin({ clients: [{ client_id: 'desk', client_secret: 'one', known_as: KNOWN_AS }] })
  const trustedIssuers = [{ issuer: sso.issuer, keys: () => sso.keys }]
  const login = await startLogin({ clients: [{ client_id: 'desk-at-notes', client_secret: 'two' }], trustedIssuers })
  KNOWN_AS[login.issuer] = 'desk-at-notes'
  const company = { sso: sso.issuer, login: login.issuer, secretAtSso: 'one', secretAtLogin: 'two' }
  const client = await connectInCompany(await startServer(login), company, () => sso.sign({ sub: 'ada', aud: 'desk' }))
  expect(await callerOf(client)).toBe(`${login.issuer}#ada`)
})

test('a workload with an identity token of its platform', async () => {
  const platform = await startLogin()
  const login = await startLogin({ trustedIssuers: [{ issuer: platform.issuer, keys: () => platform.keys }] })
  const path = join(await makeFolder(), 'login')
  await writeFile(path, `${await platform.sign({ sub: 'job', aud: login.issuer })}\n`)
  expect(await callerOf(await connectAsWorkload(await startServer(login), path))).toBe(`${login.issuer}#job`)
})

test('key-bound tokens survive a restart, and are rejected without the key', async () => {
  const login = await startLogin()
  const url = await startServer(login)
  const folder = await makeFolder()
  const open = async (page: URL): Promise<void> => {
    await fetch(page)
  }
  expect(await callerOf(await connectBound(url, folder, open))).toBe(`${login.issuer}#user`)
  expect(await callerOf(await connectBound(url, folder))).toBe(`${login.issuer}#user`)
  expect(login.requestsTo('authorize')).toHaveLength(1)

  const { accessToken } = tokensIn(await readFile(join(folder, 'tokens.json'), 'utf8'))
  for (const scheme of ['Bearer', 'DPoP']) {
    const response = await fetch(url, { method: 'POST', headers: { authorization: `${scheme} ${accessToken}` } })
    expect(response.status).toBe(401)
  }
})

function tokensIn(file: string): { accessToken: string } {
  const entries = Object.entries(JSON.parse(file) as Record<string, { value: string }>)
  const [, entry] = entries.find(([key]) => key.startsWith('portcall:tokens:'))!
  return JSON.parse(entry.value)
}
