import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { trace } from '@opentelemetry/api'
import { type Call, createServer, generateKey, ToolError } from 'portcall'
import { connect } from 'portcall/client'
import { createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { tasks } from 'portcall/tasks'
import { tasks as clientTasks } from 'portcall/tasks/client'
import { clientTelemetry, gatewayTelemetry, serverTelemetry, type TelemetryOptions, taskTelemetry } from 'portcall/telemetry'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { type ReceivedPoint, type ReceivedSpan, useTelemetry } from './support/otlp.ts'

const SERVER = 2
const CLIENT = 3
const CONSUMER = 5
const ERROR = 2
const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

const telemetry = useTelemetry()

const book = z.object({ time: z.string() })

function createTestServer(options?: TelemetryOptions, settings: Parameters<typeof createServer>[1] = {}) {
  const server = createServer({ name: 'test', version: '1' }, settings)
  server.use(serverTelemetry(options))
  server.tool('add', { input: z.object({ a: z.number(), password: z.string().optional() }) }, ({ a }) => String(a + 1))
  server.tool('fail', {}, () => {
    throw new ToolError('no')
  })
  server.tool('ask', {}, async (_: unknown, call: Call) => (await call.elicit('When?', book)).time)
  const text = { type: 'string' } as const
  const greeting = { type: 'object', properties: { topic: text, password: text } } as const
  server.prompt('greet', { arguments: greeting }, () => 'hello')
  server.resource('note://1', { name: 'one' }, () => 'text')
  return server
}

/** Serves the server over HTTP until the test ends. */
async function listen(server: Parameters<typeof serve>[0]): Promise<string> {
  const listening = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(() => listening.close())
  return listening.url
}

async function open(target: Parameters<typeof connect>[0], options: Parameters<typeof connect>[1] = {}) {
  const client = await connect(target, { ...clientTelemetry(), elicit: () => ({ time: '19:30' }), ...options })
  onTestFinished(() => client.close())
  return client
}

async function spansNamed(name: string): Promise<ReceivedSpan[]> {
  await telemetry.sdk.flush()
  return telemetry.receiver.spans.filter((span) => span.name === name)
}

async function sessionPoints(): Promise<ReceivedPoint[]> {
  await telemetry.sdk.flush()
  return telemetry.receiver.points.filter(({ metric }) => /session/.test(metric))
}

const one = (spans: readonly ReceivedSpan[], kind: number): ReceivedSpan => {
  const found = spans.filter((span) => span.kind === kind)
  expect(found).toHaveLength(1)
  return found[0]!
}

describe.each(VERSIONS)('over HTTP with %s', (protocolVersion) => {
  test('a call has a client span and a server span with the attributes of the conventions', async () => {
    const url = await listen(createTestServer())
    const client = await open(url, { protocolVersion })
    await client.callTool('add', { a: 1 })
    const spans = await spansNamed('tools/call add')
    const sent = one(spans, CLIENT)
    const received = one(spans, SERVER)
    expect(received).toMatchObject({ traceId: sent.traceId, parentSpanId: sent.spanId, status: {} })
    const common = {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': protocolVersion,
      'gen_ai.tool.name': 'add',
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
    }
    const { hostname, port } = new URL(url)
    const session = protocolVersion !== '2026-07-28' && { 'mcp.session.id': received.attributes['mcp.session.id'] }
    expect(sent.attributes).toEqual({
      ...common,
      'jsonrpc.request.id': expect.any(String),
      'network.protocol.version': '1.1',
      'server.address': hostname,
      'server.port': Number(port),
      ...session,
    })
    expect(received.attributes).toEqual({
      ...common,
      'jsonrpc.request.id': expect.any(String),
      'client.address': '127.0.0.1',
      'client.port': expect.any(Number),
      'network.protocol.version': '1.1',
      ...(protocolVersion !== '2026-07-28' && { 'mcp.session.id': expect.any(String) }),
    })
  })

  test('the duration of a session is recorded when it ends, for clients that have one', async () => {
    const listening = await serve(createTestServer(), { port: 0, handleProcessSignals: false })
    onTestFinished(() => listening.close())
    const client = await open(listening.url, { protocolVersion })
    await client.callTool('add', { a: 1 })
    expect(await sessionPoints()).toEqual([])
    await client.close()
    await listening.close()
    const { hostname, port } = new URL(listening.url)
    const common = {
      'mcp.protocol.version': protocolVersion,
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'network.protocol.version': '1.1',
    }
    const server = { 'server.address': hostname, 'server.port': Number(port) }
    const points = await sessionPoints()
    for (const point of points) expect(point).toMatchObject({ unit: 's', count: 1, bounds: BOUNDS })
    const attributes = points.map((point) => [point.metric, point.attributes])
    expect(Object.fromEntries(attributes)).toEqual(
      protocolVersion === '2026-07-28'
        ? {}
        : { 'mcp.client.session.duration': { ...common, ...server }, 'mcp.server.session.duration': common },
    )
  })

  test('a question to the client is linked to the call that asked it', async () => {
    const isModern = protocolVersion === '2026-07-28'
    if (protocolVersion < '2025-06-18') return
    const client = await open(await listen(createTestServer()), { protocolVersion })
    await trace.getTracer('test').startActiveSpan('agent', async (agent) => {
      await client.callTool('ask')
      agent.end()
    })
    const calls = await spansNamed('tools/call ask')
    const questions = await spansNamed('elicitation/create')
    const [agent] = await spansNamed('agent')
    expect(new Set([...calls, ...questions].map(({ traceId }) => traceId))).toEqual(new Set([agent!.traceId]))
    const received = calls.filter(({ kind }) => kind === SERVER)
    expect(received).toHaveLength(2)
    const [first, second] = received
    expect(first!.attributes['portcall.result.type']).toBe('input_required')
    expect(second!.links).toMatchObject([{ traceId: first!.traceId, spanId: first!.spanId }])
    const handled = one(questions, SERVER)
    if (isModern) {
      const sent = calls.filter(({ kind }) => kind === CLIENT)
      expect(handled.parentSpanId).toBe(sent[0]!.spanId)
      expect(sent[1]!.links).toMatchObject([{ spanId: sent[0]!.spanId }])
    } else {
      const asked = one(questions, CLIENT)
      expect(asked.parentSpanId).toBe(first!.spanId)
      expect(handled.parentSpanId).toBe(asked.spanId)
    }
  })
})

test('a call that continues at another process is linked to the request at the first one, if it is traced there', async () => {
  const sealingKeys = [generateKey()]
  const untraced = createServer({ name: 'test', version: '1' }, { sealingKeys })
  untraced.tool('ask', {}, async (_: unknown, call: Call) => (await call.elicit('When?', book)).time)
  const traced = () => createTestServer({}, { sealingKeys })
  const [started = '', ...others] = await Promise.all([traced(), untraced, traced()].map(listen))
  const balancer = createHttpServer(async (incoming, outgoing) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = incoming.headers
    const target = body.includes('"inputResponses"') ? others.shift()! : started
    const response = await fetch(target, { method: 'POST', headers: headers as Record<string, string>, body })
    outgoing.writeHead(response.status, { 'content-type': response.headers.get('content-type')! }).end(await response.text())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void balancer.close())
  await once(balancer, 'listening')
  const client = await open(`http://127.0.0.1:${(balancer.address() as AddressInfo).port}/mcp`, { protocolVersion: '2026-07-28' })
  for (let call = 0; call < 2; call++) expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: '19:30' }])
  const [, first, second] = (await spansNamed('tools/call ask')).filter(({ kind }) => kind === SERVER)
  expect(second).toMatchObject({ traceId: first!.traceId, links: [{ traceId: first!.traceId, spanId: first!.spanId }] })
})

test('a session that is lost has the type of the error', async () => {
  const program = fileURLToPath(new URL('support/traced-stdio.mjs', import.meta.url))
  const client = await open(
    { command: process.execPath, args: [program, telemetry.receiver.url] },
    { protocolVersion: '2025-11-25' },
  )
  await client.callTool('add')
  await client.callTool('exit').catch(() => {})
  await eventually(async () =>
    expect(await sessionPoints()).toContainEqual(
      expect.objectContaining({
        metric: 'mcp.client.session.duration',
        attributes: expect.objectContaining({ 'network.transport': 'pipe', 'error.type': 'ConnectionLostError' }),
      }),
    ),
  )
})

test.each(VERSIONS)('a trace continues in a program over stdio with %s', async (protocolVersion) => {
  const program = fileURLToPath(new URL('support/traced-stdio.mjs', import.meta.url))
  const client = await open({ command: process.execPath, args: [program, telemetry.receiver.url] }, { protocolVersion })
  await client.callTool('add', {})
  const sent = one(await spansNamed('tools/call add').then((spans) => spans.filter(({ kind }) => kind === CLIENT)), CLIENT)
  await eventually(() => expect(telemetry.receiver.spans.some(({ parentSpanId }) => parentSpanId === sent.spanId)).toBe(true))
  const received = one(await spansNamed('tools/call add'), SERVER)
  expect(received).toMatchObject({ traceId: sent.traceId, parentSpanId: sent.spanId })
  for (const { attributes } of [sent, received])
    expect(attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': protocolVersion,
      'gen_ai.tool.name': 'add',
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': 'pipe',
      'jsonrpc.request.id': expect.any(String),
    })
})

test('log records of a traced request have the ids of its span', async () => {
  const records: { readonly tool?: string; readonly traceId?: string; readonly spanId?: string }[] = []
  const write = (_message: string, fields: object): void => void records.push(fields)
  const server = createServer(
    { name: 'logged', version: '1' },
    { logger: { error: write, warn: write, info: write, debug: write } },
  )
  server.use(serverTelemetry())
  server.tool('add', {}, () => '1')
  const client = await connect(server)
  onTestFinished(() => client.close())
  await client.callTool('add')
  await eventually(() => expect(records.some(({ tool }) => tool === 'add')).toBe(true))
  const { traceId, spanId } = one(await spansNamed('tools/call add'), SERVER)
  expect(records.find(({ tool }) => tool === 'add')).toMatchObject({ traceId, spanId })
})

test('errors have the types that the conventions name', async () => {
  const client = await open(await listen(createTestServer()))
  await client.callTool('fail').catch(() => {})
  await client.callTool('missing').catch(() => {})
  const [failed] = (await spansNamed('tools/call fail')).filter(({ kind }) => kind === SERVER)
  expect(failed!.status.code).toBe(ERROR)
  expect(failed!.attributes).toMatchObject({ 'error.type': 'tool_error' })
  const missing = await spansNamed('tools/call missing')
  expect(missing).toHaveLength(2)
  for (const { kind, status, attributes } of missing) {
    expect(attributes).toMatchObject({ 'rpc.response.status_code': '-32602' })
    // A request for a tool that does not exist is an error of the client only.
    if (kind === SERVER) {
      expect(status.code).not.toBe(ERROR)
      expect(attributes).not.toHaveProperty('error.type')
    } else {
      expect(status).toEqual({ code: ERROR, message: expect.stringContaining('Unknown tool') })
      expect(attributes).toMatchObject({ 'error.type': '-32602' })
    }
  }
})

test('prompts and resources have their attributes, and URIs are not in names', async () => {
  const client = await open(await listen(createTestServer()))
  await client.getPrompt('greet')
  await client.readResource('note://1')
  const [prompt] = await spansNamed('prompts/get greet')
  expect(prompt!.attributes).toMatchObject({ 'gen_ai.prompt.name': 'greet' })
  const [resource] = await spansNamed('resources/read')
  expect(resource!.attributes).toMatchObject({ 'mcp.resource.uri': 'note://1' })
})

test('durations are recorded as the conventions define them, without names that a caller made up', async () => {
  const client = await open(await listen(createTestServer()))
  await client.callTool('add', { a: 1 })
  await client.callTool('add', { a: 1 })
  await client.callTool('made-up').catch(() => {})
  await client.request('made/up').catch(() => {})
  await telemetry.sdk.flush()
  for (const metric of ['mcp.client.operation.duration', 'mcp.server.operation.duration']) {
    const points = telemetry.receiver.points.filter((point) => point.metric === metric)
    const add = points.find(({ attributes }) => attributes['gen_ai.tool.name'] === 'add')
    expect(add).toMatchObject({ unit: 's', count: 2, bounds: BOUNDS })
    expect(add!.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'network.transport': 'tcp' })
    const failed = points.find(({ attributes }) => attributes['rpc.response.status_code'] === '-32602')
    expect(failed!.attributes).toMatchObject({ 'mcp.method.name': 'tools/call' })
    expect(failed!.attributes['error.type']).toBe(metric.startsWith('mcp.client') ? '-32602' : undefined)
    expect(JSON.stringify(points)).not.toMatch(/made/)
  }
})

test('arguments and results are recorded only when asked, without secrets', async () => {
  const args = { a: 1, password: 'hunter2' }
  const silent = await open(createTestServer())
  await silent.callTool('add', args)
  expect(JSON.stringify(await spansNamed('tools/call add'))).not.toMatch(/gen_ai\.tool\.call|hunter2/)

  telemetry.receiver.spans.length = 0
  const recording = await open(createTestServer({ recordArguments: true, recordResults: true }))
  await recording.callTool('add', args)
  const received = one(await spansNamed('tools/call add'), SERVER)
  expect(JSON.parse(String(received.attributes['gen_ai.tool.call.arguments']))).toEqual({ a: 1, password: '[redacted]' })
  expect(received.attributes['gen_ai.tool.call.result']).toBe('{"content":[{"type":"text","text":"2"}]}')

  await recording.getPrompt('greet', { topic: 'pears', password: 'x' })
  expect(one(await spansNamed('prompts/get greet'), SERVER).attributes).toMatchObject({
    'gen_ai.prompt.variable.topic': 'pears',
    'gen_ai.prompt.variable.password': '[redacted]',
  })

  telemetry.receiver.spans.length = 0
  const redacting = await open(createTestServer({ recordArguments: true, redact: () => 'hidden' }))
  await redacting.callTool('add', args)
  expect(one(await spansNamed('tools/call add'), SERVER).attributes['gen_ai.tool.call.arguments']).toBe('"hidden"')
  await redacting.getPrompt('greet', { topic: 'pears' })
  expect(JSON.stringify(await spansNamed('prompts/get greet'))).not.toContain('pears')
})

test('a client without trace context in _meta is traced by its HTTP headers', async () => {
  const url = await listen(createTestServer())
  const client = await connect(url, { headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' } })
  onTestFinished(() => client.close())
  await client.callTool('add', { a: 1 })
  expect(await spansNamed('tools/call add')).toMatchObject([
    { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentSpanId: '00f067aa0ba902b7' },
  ])
})

test('with httpHeaders, a client sends the trace context in headers too', async () => {
  const seen: (string | undefined)[] = []
  const server = createTestServer()
  server.use((request, context, next) => {
    seen.push(context.http?.header('traceparent'))
    return next(request, context)
  })
  const client = await open(await listen(server), clientTelemetry({ httpHeaders: true }))
  await client.callTool('add', { a: 1 })
  const sent = one(await spansNamed('tools/call add'), CLIENT)
  expect(seen.at(-1)).toBe(`00-${sent.traceId}-${sent.spanId}-01`)
})

test('one trace leads from the client through the gateway to the server and the worker of the task', async () => {
  const stores = memoryStores()
  const define = (runWorker: boolean) => {
    const server = createServer(
      { name: 'reports', version: '1' },
      { stores, extensions: [tasks({ runWorker, middleware: [taskTelemetry()] })] },
    )
    server.use(serverTelemetry())
    server.tool('render', { task: 'required' }, (_: unknown, call: Call) => {
      trace.getActiveSpan()?.addEvent('rendering')
      return String(call.trace.traceparent)
    })
    return server
  }
  const server = define(false)
  define(true)
  const url = await listen(server)
  const { hostname, port } = new URL(url)
  const gateway = createGateway({ servers: { reports: url }, policy: [gatewayTelemetry()] })
  onTestFinished(() => gateway.close())
  const headers = { authorization: 'Bearer canary-token' }
  const client = await open(await listen(gateway), { extensions: [clientTasks()], headers })
  await trace.getTracer('test').startActiveSpan('agent', async (agent) => {
    const [tool] = await client.tools().toArray()
    await client.callTool(tool!.name, {})
    agent.end()
  })
  const [agent] = await spansNamed('agent')
  const calls = telemetry.receiver.spans.filter(({ name, traceId }) => /^tools\/call /.test(name) && traceId === agent!.traceId)
  const chain = ['client', 'gateway in', 'gateway out', 'server', 'worker']
  const kinds = [CLIENT, SERVER, CLIENT, SERVER, CONSUMER]
  let parent = agent!.spanId
  for (const [index, name] of chain.entries()) {
    const span = calls.find(({ parentSpanId }) => parentSpanId === parent)
    expect(span?.kind, name).toBe(kinds[index])
    if (name === 'gateway out')
      expect(span!.attributes).toMatchObject({
        'portcall.gateway.server': 'reports',
        'network.transport': 'tcp',
        'server.address': hostname,
        'server.port': Number(port),
      })
    if (name === 'worker') expect(span!.links).toMatchObject([{ spanId: parent }])
    parent = span!.spanId
  }
  expect(calls).toHaveLength(5)
  expect(JSON.stringify(telemetry.receiver.spans)).not.toContain('canary-token')
})

test('a server warns when it records its requests twice', async () => {
  const warnings: unknown[] = []
  const server = createServer({ name: 'twice', version: '1.0.0' }, { onEvent: (event) => warnings.push(event) })
  server.use(serverTelemetry())
  expect(warnings).toEqual([])
  server.use(serverTelemetry())
  expect(warnings).toEqual([
    { type: 'warning', message: expect.stringMatching(/^server\.use\(serverTelemetry\(\)\) is called twice/) },
  ])
})
