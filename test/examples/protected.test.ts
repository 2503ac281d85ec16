import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'
import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import { keyFor } from '../../examples/api-keys.ts'
import { server } from '../../examples/protected-scopes.ts'
import { bound } from '../../examples/verifiers.ts'
import { compileProgram } from '../support/compile.ts'
import { createRequester } from '../support/tool-requester.ts'

const RESOURCE = 'https://notes.example.com/mcp'
const ORIGIN = 'https://notes.example.com'

async function logInAt(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const login = await authorizationServer(options)
  onTestFinished(() => login.close())
  return login
}

/** Runs an example, and returns the URL that it prints. */
async function run(name: string, env: Record<string, string>): Promise<string> {
  const program = await compileProgram(fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url)))
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PORT: '0', ...env },
  })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return (await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()).value
}

test('protected', async () => {
  const login = await logInAt()
  const url = await run('protected', { ISSUER: login.issuer, RESOURCE })
  const call = createRequester(url)
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url))
  expect(await metadata.json()).toMatchObject({ resource: RESOURCE, authorization_servers: [login.issuer] })
  expect((await call('list')).status).toBe(401)
  const token = await login.issue({ subject: 'ann', scope: 'notes:read', resources: [RESOURCE] })
  expect(await call('list', token)).toMatchObject({ status: 200, text: 'Notes of ann' })
  expect(await call('erase', token)).toMatchObject({
    status: 403,
    challenge: expect.stringContaining('scope="notes:read notes:write"'),
  })
})

test('api-keys, protected-scopes and verifiers', async () => {
  const { key, verify } = await keyFor('ann')
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, ...protect({ resource: RESOURCE, verify }) })
  onTestFinished(close)
  const call = createRequester(url)
  expect(await call('erase', key)).toMatchObject({ status: 200, text: expect.stringContaining('Unknown tool') })
  expect((await call('erase', `${key}x`)).status).toBe(401)
  expect(bound.path).toBe('/mcp')
})

/** An identity provider with an API: it signs in the user `login`, and resolves tokens to their users. */
async function identityProvider(login: TestAuthorizationServer): Promise<{ url: string; tokens: string[] }> {
  const tokens: string[] = []
  const http = createServer(async (request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/authorize')) return void response.writeHead(302, { location: login.issuer + path }).end()
    if (path === '/token') {
      const { authorization = '' } = request.headers
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await fetch(`${login.issuer}/token`, { method: 'POST', headers, body: await textOf(request) })
      return void response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    }
    tokens.push(request.headers.authorization ?? '')
    response.writeHead(200, { 'content-type': 'application/json' }).end(path === '/userinfo' ? '{"sub":"ann"}' : '["a.txt"]')
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  const address = http.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, tokens }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

test('oauth-proxy', async () => {
  const clients = [{ client_id: 'notes', client_secret: 'secret', redirect_uris: [`${ORIGIN}/authorize/callback`] }]
  const provider = await identityProvider(await logInAt({ clients }))
  const url = await run('oauth-proxy', { LOGIN: provider.url, RESOURCE })
  const to = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(new URL(path, url), { redirect: 'manual', ...init })

  const redirect_uris = ['http://127.0.0.1:7/callback']
  const registered = await to('/register', { method: 'POST', body: JSON.stringify({ redirect_uris, client_name: 'Editor' }) })
  const { client_id } = await registered.json()
  const verifier = 'v'.repeat(43)
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  const asked = {
    client_id,
    response_type: 'code',
    redirect_uri: redirect_uris[0] ?? '',
    code_challenge,
    code_challenge_method: 'S256',
  }
  const page = await to(`/authorize?${new URLSearchParams(asked)}`)
  const request = /name="request" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
  const cookieOf = (response: Response): string => response.headers.get('set-cookie')?.split(';')[0] ?? ''
  const form = new URLSearchParams({ request, decision: 'allow' })
  const allowed = await to('/authorize', { method: 'POST', body: form, headers: { cookie: cookieOf(page) } })
  const signedIn = await follow(allowed.headers.get('location') ?? '')
  const back = await to(signedIn.pathname + signedIn.search, { headers: { cookie: cookieOf(allowed) } })
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const redeemed = {
    grant_type: 'authorization_code',
    client_id,
    code,
    code_verifier: verifier,
    redirect_uri: redirect_uris[0] ?? '',
  }
  const tokens = await (await to('/token', { method: 'POST', body: new URLSearchParams(redeemed) })).json()
  expect(await createRequester(url)('files', tokens.access_token)).toMatchObject({ status: 200, text: '["a.txt"]' })
  expect(provider.tokens.join()).not.toContain(tokens.access_token)
})

/** Follows redirects like a browser, up to the callback. */
async function follow(location: string): Promise<URL> {
  const response = await fetch(location, { redirect: 'manual' })
  const next = response.headers.get('location') ?? ''
  return next.startsWith(ORIGIN) ? new URL(next) : follow(next)
}
