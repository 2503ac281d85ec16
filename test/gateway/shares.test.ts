/** One caller at its limit never changes what another caller gets. */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { type Auth, createServer, deriveContext, type Middleware } from 'portcall'
import { type CallToolResult, type Client, connect, type Exchange } from 'portcall/client'
import { accessRules, createApprovalQueue, createGateway } from 'portcall/gateway'
import { idempotency, idempotencyKey, resultSizeLimit } from 'portcall/middleware'
import { type ServeOptions, serve } from 'portcall/node'
import { describe, expect, onTestFinished, test } from 'vitest'

function textOf({ content }: CallToolResult): string {
  return content.map((block) => ('text' in block ? block.text : '')).join('')
}

async function connectAs(exchange: Exchange, principal: string, more: Partial<Auth> = {}): Promise<Client> {
  const as: Middleware = (request, context, next) => next(request, deriveContext(context, { auth: { principal, ...more } }))
  const client = await connect({ exchange }, { middleware: [as] })
  onTestFinished(() => client.close())
  return client
}

describe('receipts of idempotency', () => {
  function createBank(options: Parameters<typeof idempotency>[0] = {}) {
    let runs = 0
    const server = createServer({ name: 'bank', version: '1' }).use(idempotency(options))
    server.tool('pay', {}, () => `paid ${++runs}`)
    server.tool('large', {}, () => `${++runs} ${'x'.repeat(1_000_000)}`)
    onTestFinished(() => server.close())
    return server
  }
  const pay = async (client: Client, key: string, name = 'pay'): Promise<string> =>
    textOf(await client.callTool(name, {}, { meta: idempotencyKey(key) }))

  test('stay however much another caller stores', async () => {
    const server = createBank()
    const ada = await connectAs(server.exchange, 'ada')
    const eve = await connectAs(server.exchange, 'eve')
    expect(await pay(ada, 'K')).toBe('paid 1')
    for (let at = 0; at < 80; at++) await pay(eve, `${at}`, 'large')
    expect(await pay(ada, 'K')).toBe('paid 1')
  })

  test('are refused when the share of their caller is used up, and nobody else notices', async () => {
    const server = createBank({ maxReceipts: 3 })
    const [ada, eve] = [await connectAs(server.exchange, 'ada'), await connectAs(server.exchange, 'eve')]
    for (let at = 1; at <= 3; at++) expect(await pay(eve, `${at}`)).toBe(`paid ${at}`)
    expect(await pay(eve, '4')).toContain('Too many idempotency keys are in use')
    expect(await pay(eve, '1')).toBe('paid 1')
    expect(await pay(ada, '4')).toBe('paid 4')
  })

  test('of large responses say that the call has run', async () => {
    const ada = await connectAs(createBank().exchange, 'ada')
    expect(await pay(ada, 'K', 'large')).toMatch(/^1 x/)
    expect(await pay(ada, 'K', 'large')).toContain('has run before with this idempotency key')
    expect(await pay(ada, 'L')).toBe('paid 2')
  })
})

test('linked results stay however many another caller has', async () => {
  const server = createServer({ name: 'reports', version: '1' }).use(resultSizeLimit({ maxBytes: 1000, exceeded: 'link' }))
  server.tool('report', {}, () => 'x'.repeat(1_000_000))
  onTestFinished(() => server.close())
  const [ada, eve] = [await connectAs(server.exchange, 'ada'), await connectAs(server.exchange, 'eve')]
  const link = (await ada.callTool('report')).content.find((block) => block.type === 'resource_link')
  for (let at = 0; at < 80; at++) await eve.callTool('report')
  expect((await ada.readResource(link!.uri)).contents).toMatchObject([{ text: 'x'.repeat(1_000_000) }])
})

describe('the approval queue', () => {
  function createGuarded() {
    const approver = createApprovalQueue()
    const server = createServer({ name: 'bank', version: '1' }).tool('pay', {}, () => 'paid')
    const policy = accessRules({ default: 'approve', rules: [], approvals: { approver, askUser: false } })
    const gateway = createGateway({ servers: { up: { target: server, alias: '' } }, policy })
    onTestFinished(() => gateway.close())
    return { approver, exchange: gateway.exchange }
  }
  const pay = async (client: Client, to: unknown = 1): Promise<string> => textOf(await client.callTool('pay', { to }))

  test.each([
    ['small calls', (at: number) => at],
    ['large calls', (at: number) => `${at} ${'x'.repeat(1_000_000)}`],
  ])('takes the call of one caller, and keeps its approval, however many %s another one sends', async (_what, argument) => {
    const { approver, exchange } = createGuarded()
    const [ada, bob, eve] = [await connectAs(exchange, 'ada'), await connectAs(exchange, 'bob'), await connectAs(exchange, 'eve')]
    expect(await pay(ada)).toContain('waits for approval')
    await approver.approve((await approver.list())[0]!.id)
    let last = ''
    for (let at = 0; at < 120; at++) last = await pay(eve, argument(at))
    expect(last).toMatch(/Too many calls wait for approval|too long to be shown/)
    expect(await pay(bob)).toContain('waits for approval')
    expect(await pay(ada)).toBe('paid')
  })

  test('an approval is only valid for the authorization that asked for it', async () => {
    const { approver, exchange } = createGuarded()
    const admin = await connectAs(exchange, 'ada', { scopes: ['admin'] })
    const reader = await connectAs(exchange, 'ada', { scopes: ['read'] })
    await pay(admin)
    await approver.approve((await approver.list())[0]!.id)
    expect(await pay(reader)).toContain('waits for approval')
    expect(await pay(admin)).toBe('paid')
  })
})

const SLOW_SERVER = `
import { createServer } from 'portcall'
import { serveStdio } from 'portcall/stdio'
const server = createServer({ name: 'slow', version: '1' })
server.tool('slow', {}, (_args, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'))))
server.tool('fast', {}, () => 'fast')
await serveStdio(server)
`

test('the calls of one caller on a program do not keep another one waiting', async () => {
  const target = { command: process.execPath, args: ['--input-type=module', '--eval', SLOW_SERVER] }
  const gateway = createGateway({ servers: { slow: { target, alias: '' } } })
  onTestFinished(() => gateway.close())
  const [ada, eve] = [await connectAs(gateway.exchange, 'ada'), await connectAs(gateway.exchange, 'eve')]
  expect(textOf(await ada.callTool('fast'))).toBe('fast')
  const leaving = new AbortController()
  const calls = Array.from({ length: 400 }, () => eve.callTool('slow', {}, { signal: leaving.signal }).catch(() => {}))
  await expect.poll(() => gateway.status().servers.slow?.inFlight).toBe(100)
  expect(textOf(await ada.callTool('fast', {}))).toBe('fast')
  expect(gateway.status().servers.slow?.inFlight).toBe(100)
  leaving.abort()
  await Promise.all(calls)
})

describe('over HTTP', () => {
  async function startShared(options: ServeOptions) {
    const server = createServer({ name: 'shared', version: '1' })
    server.tool(
      'slow',
      {},
      (_args, { signal }) => new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve(''))),
    )
    server.tool('fast', {}, () => 'fast')
    const authenticate: ServeOptions['authenticate'] = ({ header }) => ({ principal: header('authorization') ?? '' })
    const { url, close } = await serve(server, {
      port: 0,
      handleProcessSignals: false,
      drainTimeoutMs: 0,
      authenticate,
      ...options,
    })
    onTestFinished(() => close())
    return (principal: string) =>
      connect(url, { headers: { authorization: principal } }).then((client) => {
        onTestFinished(() => client.close())
        return client
      })
  }

  test('the requests of one caller leave places for others', async () => {
    const connectTo = await startShared({ maxPrincipalRequests: 3, maxRequests: 6 })
    const [ada, eve] = [await connectTo('ada'), await connectTo('eve')]
    const leaving = new AbortController()
    const calls = Array.from({ length: 10 }, () =>
      eve.callTool('slow', {}, { signal: leaving.signal }).catch((error) => String(error)),
    )
    expect(
      await Promise.any(
        calls.map((call) => call.then((outcome) => (String(outcome).includes('429') ? outcome : Promise.reject()))),
      ),
    ).toContain('429')
    expect(textOf(await ada.callTool('fast'))).toBe('fast')
    leaving.abort()
    await Promise.all(calls)
    await expect.poll(async () => eve.callTool('fast').then(textOf, String)).toBe('fast')
  })
})

describe('sessions on a server of a legacy revision', () => {
  /** Starts a server that gives each session a number, and returns the sessions that are open. */
  async function startLegacyServer(): Promise<{ url: string; open: ReadonlySet<string> }> {
    const open = new Set<string>()
    let sessions = 0
    const http = createHttpServer(async (request, response) => {
      const id = request.headers['mcp-session-id']?.toString() ?? ''
      if (request.method === 'DELETE') open.delete(id)
      if (request.method !== 'POST') return void response.writeHead(request.method === 'GET' ? 405 : 200).end()
      const message = (await new Response(Readable.toWeb(request) as ReadableStream).json()) as { id?: number; method: string }
      const answer = (result: object, headers = {}): void =>
        void response
          .writeHead(200, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
      if (message.method === 'initialize') {
        const session = String(++sessions)
        open.add(session)
        const serverInfo = { name: 'old', version: '1' }
        return answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }, { 'mcp-session-id': session })
      }
      if (!open.has(id)) return void response.writeHead(id === '' ? 400 : 404).end()
      if (message.id === undefined) return void response.writeHead(202).end()
      if (message.method === 'tools/list') return answer({ tools: [{ name: 'session', inputSchema: { type: 'object' } }] })
      return answer({ content: [{ type: 'text', text: id }] })
    }).listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => {
      http.closeAllConnections()
      http.close()
    })
    return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, open }
  }

  test('one caller that declares ever other capabilities opens a few, and closes its own', async () => {
    const { url, open } = await startLegacyServer()
    const gateway = await createGateway({ servers: { old: { target: url } }, names: { mode: 'never' } })
    onTestFinished(() => gateway.close())
    const sessionOf = async (principal: string, experimental: string): Promise<string> => {
      const clientCapabilities = { experimental: { [experimental]: {} } }
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: principal, version: '1' },
        'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
      }
      const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'session', arguments: {}, _meta } } as const
      const context = { signal: new AbortController().signal, notify() {}, auth: { principal } }
      const response = await gateway.exchange(request, context)
      if (!('result' in response)) throw new Error(JSON.stringify(response))
      return textOf(response.result as unknown as CallToolResult)
    }
    const session = await sessionOf('ada', 'own')
    const used = new Set<string>()
    for (let at = 0; at < 40; at++) used.add(await sessionOf('eve', `x${at}`))
    expect(used.size).toBe(40)
    expect(await sessionOf('ada', 'own')).toBe(session)
    await expect.poll(() => open.size).toBeLessThanOrEqual(18)
    expect(open).toContain(session)
  })
})
