/** The programs of docs/deployment/ with the real frameworks. Bun, Deno and Workers are tested in test/runtimes. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { textOf } from 'portcall/testing'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { freePort } from '../support/free-port.mjs'
import { connectForTest, type Serving, start } from './support/project.ts'

const REVISIONS = ['2026-07-28', '2025-11-25']
const SEALING_KEYS = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'

/** Calls a tool without input as a user called Ada. */
async function callAsAda(url: string, tool: string, protocolVersion: string): Promise<string> {
  const client = await connectForTest(url, { protocolVersion, elicit: () => ({ name: 'Ada' }) })
  return textOf(await client.callTool(tool))
}

async function greet(url: string, protocolVersion: string): Promise<string> {
  const client = await connectForTest(url, { protocolVersion })
  return textOf(await client.callTool('greet', { name: 'Ada' }))
}

describe.each(['node', 'express', 'fastify', 'koa', 'hono'])('%s', (name) => {
  test.each(REVISIONS)('answers calls, requests input and shuts down, %s', async (revision) => {
    const serving = await start(`deployment-${name}/${name}.ts`)
    expect(await callAsAda(serving.url, 'greet', revision)).toBe('Hello, Ada!')
    expect((await fetch(new URL('/other', serving.url))).status).toBe(404)
    await endsBySigterm(serving)
  })
})

async function endsBySigterm({ stop }: Serving): Promise<void> {
  const { code, stderr } = await stop('SIGTERM')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
}

test('health checks', async () => {
  const { url } = await start('deployment-node/health.ts')
  const response = await fetch(new URL('/readyz', url))
  expect([response.status, await response.text()]).toEqual([200, 'ok\n'])
})

test('a log line for each request, and one with the cause of an error', async () => {
  const { url, stop } = await start('deployment-observability/observability.ts')
  const client = await connectForTest(url)
  expect(textOf(await client.callTool('price', { item: 'pear' }))).toBe('A pear costs 1 €')
  const reference = /Reference: (\w+)/.exec(textOf(await client.callTool('price', { item: 'plum' })))?.[1]
  await client.close()
  const lines = (await stop()).stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const error = { level: 'error', reference, name: 'price', stack: expect.stringContaining('no row for plum') }
  const calls = [{ outcome: 'ok' }, error, { outcome: 'tool error', name: 'price', durationMs: expect.any(Number) }]
  expect(lines.filter(({ method }) => method === 'tools/call')).toMatchObject(calls)
})

test('HTTPS without a proxy', async () => {
  const [cert, key] = [join(inject('project'), 'cert.pem'), join(inject('project'), 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const openssl = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, '-keyout', key, '-out', cert]
  expect(spawnSync('openssl', openssl).status).toBe(0)
  const port = await freePort()
  await start('deployment-node/https.ts', { env: { PORT: String(port), TLS_CERT: cert, TLS_KEY: key }, until: 'Listening' })
  const status = await new Promise((resolve, reject) => {
    const options = { port, path: '/mcp', ca: readFileSync(cert), headers: { accept: 'text/html' } }
    request('https://localhost', options, (response) => resolve(response.statusCode))
      .on('error', reject)
      .end()
  })
  expect(status).toBe(400)
})

describe('Next.js', () => {
  test('answers calls and requests input', async () => {
    const app = join(inject('project'), 'deployment-nextjs')
    writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }')
    const root = JSON.stringify(join(import.meta.dirname, '../..'))
    writeFileSync(join(app, 'next.config.js'), `export default { turbopack: { root: ${root} }, outputFileTracingRoot: ${root} }`)
    const next = join(import.meta.dirname, 'node_modules/next/dist/bin/next')
    const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production', SEALING_KEYS } as const
    const built = spawnSync(process.execPath, [next, 'build'], { cwd: app, encoding: 'utf8', env: { ...process.env, ...env } })
    expect(built.stdout + built.stderr).toContain('/mcp')
    const port = await freePort()
    const { url } = await start(next, { args: ['start', app, '--port', String(port)], env: { ...env, PORT: String(port) } })
    for (const revision of REVISIONS) expect(await greet(url, revision)).toBe('Hello, Ada!')
    expect(await callAsAda(url, 'introduce', '2026-07-28')).toBe('Hello, Ada!')
  })
})

/** Serves a function from `Request` to `Response` on a port, as platforms do. */
async function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  const port = await freePort()
  const listening = serve({ fetch, port, hostname: '127.0.0.1' })
  onTestFinished(() => void listening.close())
  return `http://localhost:${port}/mcp`
}

const load = (path: string): Promise<any> => import(join(inject('project'), 'deployment-serverless', path))

describe('serverless', () => {
  test.each(REVISIONS)('Vercel, %s', async (revision) => {
    const module = await load('api/mcp.js')
    expect(await greet(await listen(module.default.fetch), revision)).toBe('Hello, Ada!')
  })

  test.each(REVISIONS)('Netlify, %s', async (revision) => {
    const module = await load('netlify/functions/mcp.mjs')
    expect(module.config).toEqual({ path: '/mcp' })
    expect(await greet(await listen(module.default), revision)).toBe('Hello, Ada!')
  })

  test.each(REVISIONS)('AWS Lambda, %s', async (revision) => {
    const { handler } = await load('lambda.js')
    expect(await greet(await listen((request) => invoke(handler, request)), revision)).toBe('Hello, Ada!')
  })

  test('AWS Lambda rejects hosts that are not listed', async () => {
    const { handler } = await load('lambda.js')
    const response = await invoke(handler, new Request('https://evil.example/mcp', { method: 'POST', body: '{}' }))
    expect(response.status).toBe(403)
  })
})

type LambdaHandler = (event: object, context: object) => Promise<LambdaResult>
interface LambdaResult {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly body: string
  readonly isBase64Encoded: boolean
}

/** Calls a handler with an event of a function URL (payload format 2.0), and converts its result. */
async function invoke(handler: LambdaHandler, request: Request): Promise<Response> {
  const { pathname, host, search } = new URL(request.url)
  const body = Buffer.from(await request.arrayBuffer())
  const event = {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: { ...Object.fromEntries(request.headers), host },
    requestContext: { domainName: host, http: { method: request.method, path: pathname } },
    body: body.toString('base64'),
    isBase64Encoded: true,
  }
  const result = await handler(event, {})
  const bytes = Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8')
  const hasBody = ![204, 304].includes(result.statusCode) && request.method !== 'HEAD'
  return new Response(hasBody ? bytes : null, { status: result.statusCode, headers: result.headers })
}
