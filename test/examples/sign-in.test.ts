import { readFile, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { createServer } from 'portcall'
import { authorizationCode } from 'portcall/auth/client'
import { jwt, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'
import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import { tryToConnect } from '../../examples/sign-in-errors.ts'
import { type ExampleOptions, startExample } from '../support/example.ts'
import { freePort } from '../support/free-port.mjs'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function startLogin(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const login = await authorizationServer(options)
  onTestFinished(() => login.close())
  return login
}

/** Starts a protected server that returns its caller. */
async function startProtected({ issuer }: TestAuthorizationServer): Promise<string> {
  const resource = `http://127.0.0.1:${await freePort()}/mcp`
  const server = createServer({ name: 'notes', version: '1.0.0' })
  server.tool('whoami', {}, (_, { auth }) => auth?.principal ?? 'nobody')
  const protection = protect({
    resource,
    authorizationServers: [issuer],
    verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }),
    dpop: true,
  })
  const serving = await serve(server, { port: Number(new URL(resource).port), handleProcessSignals: false, ...protection })
  onTestFinished(() => serving.close())
  return resource
}

async function makeFolder(): Promise<string> {
  const folder = temporaryFolder()
  return folder
}

/** Creates a folder with a browser: a program that visits the URL and follows redirects. */
async function makeBrowserFolder(): Promise<{ cwd: string; env: Record<string, string> }> {
  const cwd = await makeFolder()
  await writeFile(join(cwd, 'xdg-open'), `#!${process.execPath}\nfetch(process.argv[2])\n`, { mode: 0o755 })
  return { cwd, env: { PATH: `${cwd}${delimiter}${process.env.PATH}` } }
}

async function run(name: string, options: ExampleOptions): Promise<string> {
  return (await startExample(name, options)).output()
}

const onLinux = test.skipIf(process.platform !== 'linux')

onLinux('a browser, once for all runs that share the file', async () => {
  const login = await startLogin()
  const options = { ...(await makeBrowserFolder()), args: [await startProtected(login)] }
  expect(await run('sign-in', options)).toContain(`${login.issuer}#user`)
  expect(await run('sign-in', options)).toContain(`${login.issuer}#user`)
  expect(login.requestsTo('authorize')).toHaveLength(1)
  expect((await stat(join(options.cwd, 'tokens.json'))).mode & 0o777).toBe(0o600)
})

test('another device', async () => {
  const login = await startLogin()
  const example = await startExample('sign-in-device', { cwd: await makeFolder(), args: [await startProtected(login)] })
  const [, page, code] = /Open (\S+) and enter (\S+)\n/.exec(await example.until('\n')) ?? []
  await fetch(`${page}?user_code=${code}`)
  expect(await example.output()).toContain(`${login.issuer}#user`)
})

test('a page of a web application', async () => {
  const login = await startLogin()
  const origin = `http://127.0.0.1:${await freePort()}`
  const example = await startExample('sign-in-page', { args: [await startProtected(login), origin] })
  const [, page = ''] = /Sign in at (\S+)\n/.exec(await example.until('\n')) ?? []
  expect((await fetch(`${origin}/signed-in?state=another`)).status).toBe(404)
  expect(await (await fetch(page)).text()).toBe('You have signed in. Close this page.')
  expect(await example.output()).toContain(`${login.issuer}#user`)
})

test('a failed sign-in', async () => {
  const login = await startLogin()
  const url = await startProtected(login)
  const auth = authorizationCode({
    redirectUri: 'http://127.0.0.1:8080/signed-in',
    authorize: async (page) => (await fetch(page, { redirect: 'manual' })).headers.get('location') ?? '',
  })
  login.setFaults({ redirect: { code: undefined, error: 'access_denied' } })
  expect(await tryToConnect(url, auth)).toBe('You did not sign in.')
  login.setFaults({ metadata: { code_challenge_methods_supported: undefined } })
  expect(await tryToConnect(await startProtected(login), auth)).toContain('PKCE')
})

onLinux('tokens bound to a key survive a restart, and are rejected without the key', async () => {
  const login = await startLogin()
  const url = await startProtected(login)
  const options = { ...(await makeBrowserFolder()), args: [url] }
  expect(await run('sign-in-dpop', options)).toContain(`${login.issuer}#user`)
  expect(await run('sign-in-dpop', options)).toContain(`${login.issuer}#user`)
  expect(login.requestsTo('authorize')).toHaveLength(1)

  const { accessToken } = tokensIn(await readFile(join(options.cwd, 'tokens.json'), 'utf8'))
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

test('a program with a secret', async () => {
  const login = await startLogin({ clients: [{ client_id: 'nightly', client_secret: 's' }] })
  const env = { ISSUER: login.issuer, CLIENT_SECRET: 's' }
  expect(await run('machine-secret', { env, args: [await startProtected(login)] })).toContain(`${login.issuer}#nightly`)
})

test('a program with a key', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const login = await startLogin({ clients: [{ client_id: 'nightly', jwks: { keys: [await exportJWK(publicKey)] } }] })
  const cwd = await makeFolder()
  await writeFile(join(cwd, 'key.pem'), await exportPKCS8(privateKey))
  const options = { cwd, env: { ISSUER: login.issuer }, args: [await startProtected(login)] }
  expect(await run('machine-key', options)).toContain(`${login.issuer}#nightly`)
})

test('an enterprise user', async () => {
  const knownAs: Record<string, string> = {}
  const sso = await startLogin({ clients: [{ client_id: 'desk', client_secret: 'one', known_as: knownAs }] })
  const trustedIssuers = [{ issuer: sso.issuer, keys: () => sso.keys }]
  const login = await startLogin({ clients: [{ client_id: 'desk-at-notes', client_secret: 'two' }], trustedIssuers })
  knownAs[login.issuer] = 'desk-at-notes'
  const cwd = await makeFolder()
  await writeFile(join(cwd, 'id-token.jwt'), await sso.sign({ sub: 'ada', aud: 'desk' }))
  const env = { SSO: sso.issuer, SSO_SECRET: 'one', ISSUER: login.issuer, CLIENT_SECRET: 'two' }
  expect(await run('machine-enterprise', { cwd, env, args: [await startProtected(login)] })).toContain(`${login.issuer}#ada`)
})

test('a workload with an identity token of its platform', async () => {
  const platform = await startLogin()
  const login = await startLogin({ trustedIssuers: [{ issuer: platform.issuer, keys: () => platform.keys }] })
  const TOKEN_FILE = join(await makeFolder(), 'login')
  await writeFile(TOKEN_FILE, `${await platform.sign({ sub: 'job', aud: login.issuer })}\n`)
  const options = { env: { TOKEN_FILE }, args: [await startProtected(login)] }
  expect(await run('machine-workload', options)).toContain(`${login.issuer}#job`)
})

test('tokens from a file', async () => {
  const login = await startLogin()
  const url = await startProtected(login)
  const cwd = await makeFolder()
  await writeFile(join(cwd, 'token'), await login.issue({ subject: 'ada', resources: [url] }))
  expect(await run('machine-token', { cwd, args: [url] })).toContain(`${login.issuer}#ada`)
  await writeFile(join(cwd, 'token'), 'stale')
  await expect(run('machine-token', { cwd, args: [url] })).rejects.toThrow('The server has rejected the token')
})
