import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { createServer } from 'portcall'
import { apiKeys, createApiKey, protect } from 'portcall/auth/server'
import { type Client, connect } from 'portcall/client'
import { createGateway, gatewayPolicies } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { findPort, startWireProxy } from './support/protected-upstream.ts'

/** Servers that fail, by the path of their URL. `hangs` does not respond. */
const FAILURES: { readonly [path: string]: (headers: object) => { status: number; headers?: object; body: string } | undefined } =
  {
    hangs: () => undefined,
    unauthorized: () => ({ status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' }, body: 'no' }),
    forbidden: () => ({ status: 403, body: 'no' }),
    invalid: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{"jsonrpc":' }),
    reflects: (headers) => ({ status: 500, headers: { 'content-type': 'text/plain' }, body: JSON.stringify(headers) }),
  }

/** Starts the servers that fail. Returns their URLs by name, and what arrives. */
async function startFailing(): Promise<{ urls: { [name: string]: string }; wire: string[] }> {
  const wire: string[] = []
  const server = createHttpServer(async ({ url = '', rawHeaders, method }, response) => {
    wire.push(`${method} ${url} ${JSON.stringify(rawHeaders)}`)
    const answer = FAILURES[url.slice(1)]?.(rawHeaders)
    if (answer) response.writeHead(answer.status, { ...answer.headers }).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { urls: Object.fromEntries(Object.keys(FAILURES).map((name) => [name, `http://127.0.0.1:${port}/${name}`])), wire }
}

/** A program that records its environment and its input, and exits. */
const crashing = (file: string): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [
    '-e',
    `const { appendFileSync } = require('node:fs')
    appendFileSync(${JSON.stringify(file)}, JSON.stringify(process.env))
    process.stdin.once('data', (chunk) => { appendFileSync(${JSON.stringify(file)}, chunk); console.error(String(chunk)); process.exit(3) })`,
  ],
})

test('the headers of a caller reach no server, log or error, whatever fails', async () => {
  const { key: secret, hash } = await createApiKey()
  const file = join(temporaryFolder(), 'input')
  const { urls, wire: failing } = await startFailing()
  const working = createServer({ name: 'works', version: '1' })
    .tool('echo', {}, () => 'hi')
    .tool('denied', {}, () => 'no')
    .tool('approved', {}, () => 'paid')
  const behind = await serve(working, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(() => behind.close())
  const proxyPort = await findPort()
  const wire = await startWireProxy(proxyPort, Number(new URL(behind.url).port))
  const works = `http://127.0.0.1:${proxyPort}/mcp`

  /** Everything that could be read elsewhere. */
  const written: string[] = []
  const write = (...values: unknown[]): void => void written.push(inspect(values, { depth: 12, showHidden: true }))
  const spies = [
    ...(['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name).mockImplementation(write)),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  const audit = {
    to: { append: async (text: string) => void written.push(text), last: async () => undefined },
    arguments: true,
  }
  const rules = [
    { tools: '*__denied', do: 'deny' },
    { tools: '*__approved', do: 'approve' },
  ] as const
  const gateway = createGateway({
    servers: {
      ...Object.fromEntries(Object.entries(urls).map(([name, target]) => [name, { target, connectTimeoutMs: 500 }])),
      refuses: `http://127.0.0.1:${await findPort()}/mcp`,
      crashes: crashing(file),
      modern: works,
      legacy: { target: works, protocolVersion: '2025-11-25' },
    },
    onEvent: write,
    logger: { error: write, warn: write, info: write, debug: write },
  })
  const port = await findPort()
  const resource = `http://127.0.0.1:${port}/mcp`
  const verify = apiKeys([{ hash, subject: 'ada' }])
  const front = await serve(gateway, {
    ...protect({ resource, verify }),
    port,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
  })
  onTestFinished(async () => {
    await front.close()
    await gateway.close()
  })

  const call = async (client: Client, name: string): Promise<string> => {
    const outcome = await client.callTool(name, {}).then(
      ({ content }) => JSON.stringify(content),
      (error: Error & { data?: unknown }) => `${error.message} ${JSON.stringify(error.data)} ${String(error.cause)}`,
    )
    written.push(outcome)
    return outcome
  }
  for (const protocolVersion of ['2025-11-25', '2026-07-28']) {
    const headers = { authorization: `Bearer ${secret}`, cookie: `session=${secret}`, 'x-secret': secret, 'x-api-key': secret }
    const elicit = (request: object): { action: 'accept'; content: { approve: boolean } } => {
      write(request)
      return { action: 'accept', content: { approve: true } }
    }
    const client = await connect(resource, { headers, protocolVersion, elicit })
    onTestFinished(() => client.close())
    written.push(JSON.stringify(await client.tools().toArray()), JSON.stringify(await client.request('server/discover')))
    gateway.setPolicy(gatewayPolicies({ default: 'allow', rules, audit }).policies)
    for (const server of ['modern', 'legacy']) {
      expect(await call(client, `${server}__echo`)).toContain('hi')
      expect(await call(client, `${server}__denied`)).toContain('Unknown tool')
      expect(await call(client, `${server}__approved`)).toContain('paid')
    }
    // Rules hide tools that are not listed.
    gateway.setPolicy(gatewayPolicies({ audit }).policies)
    const failed = await Promise.all([...Object.keys(urls), 'refuses', 'crashes'].map((name) => call(client, `${name}__echo`)))
    for (const outcome of failed) expect(outcome).toContain('is not available')
  }
  const wrong = `${secret}x`
  const refused = await fetch(resource, { method: 'POST', headers: { authorization: `Bearer ${wrong}` }, body: '{}' })
  expect(refused.status).toBe(401)
  written.push(await refused.text(), JSON.stringify([...refused.headers]), JSON.stringify(gateway.status()))

  // Each place has been written to.
  const input = await readFile(file, 'utf8')
  for (const [place, text] of Object.entries({ failing, wire, written, input: [input] }))
    expect([place, text.length]).not.toEqual([place, 0])
  for (const name of Object.keys(FAILURES)) expect(failing.some((line) => line.includes(`/${name} `))).toBe(true)
  expect(written.join('\n')).toMatch(/"decision":"approved".*/)
  const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)]
  const all = [...failing, ...wire, ...written, input].join('\n')
  for (const form of forms) expect(all.includes(form)).toBe(false)
})
