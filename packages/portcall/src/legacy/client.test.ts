import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import { type Channel, channelPair } from '../jsonrpc/channel.ts'
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject, type Request } from '../jsonrpc/message.ts'
import type { Noise } from '../jsonrpc/noise.ts'
import { MetaKey } from '../protocol/meta.ts'
import { REVISIONS, type Revision } from '../protocol/revisions.ts'
import type { ClientCapabilities } from '../protocol/types.ts'
import { type Caller, callerOf } from '../server/server.test-kit.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/surface.ts'
import { serveChannel } from '../transports/stdio/server.ts'
import { createChannelLink } from './channel-link.ts'
import { type LegacyClient, type LegacyClientOptions, openLegacyClient } from './client.ts'
import { NegotiationError } from './negotiate.ts'
import { type Odd, odd, type Reply } from './odd.test-kit.ts'

const LEGACY = REVISIONS.filter(({ era }) => era === 'legacy')
const ALL: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const INFO = { name: 'tester', version: '1', title: 'Tester' }

type Given = Partial<Omit<LegacyClientOptions, 'link'>> & { onNoise?: (noise: Noise) => void }

function open(channel: Channel, { onNoise, ...given }: Given = {}): Promise<LegacyClient> {
  const answer = async (method: string): Promise<JsonObject> => ANSWERS[method] ?? {}
  const link = createChannelLink(channel, onNoise && { onNoise })
  return openLegacyClient({ link, info: INFO, capabilities: ALL, answer, ...given })
}

const ANSWERS: { readonly [method: string]: JsonObject } = {
  'elicitation/create': { action: 'accept', content: { days: 3 } },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: [{ type: 'text', text: 'hello' }] },
  'roots/list': { roots: [{ uri: 'file:///here' }] },
}

const caller = ({ exchange }: LegacyClient, meta: JsonObject = {}): Caller => callerOf({ exchange } as Server, ALL, meta)

function testServer(): Server {
  const server = createServer({ name: 'ours', version: '2' }, { instructions: 'be kind', pageSize: 2 })
  for (const name of ['a', 'b']) server.tool(name, { input: { type: 'object' } }, () => name)
  server.tool('ask', { input: { type: 'object' } }, async (_, call) => {
    const content = await call.elicit('How many days?', {
      type: 'object',
      properties: { days: { type: 'integer' } },
      required: ['days'],
    })
    return JSON.stringify(content)
  })
  server.tool('sample', { input: { type: 'object' } }, async (_, call) => {
    const said = await call.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 9 })
    return JSON.stringify(said.content)
  })
  server.tool('roots', { input: { type: 'object' } }, async (_, call) => JSON.stringify(await call.roots()))
  server.tool('work', { input: { type: 'object' } }, (_, call) => {
    for (const step of [1, 2]) call.progress(step, 2)
    call.log('warning', 'watch out')
    call.log('debug', 'nothing')
    return 'done'
  })
  server.tool('wait', { input: { type: 'object' } }, (_, call) => {
    return new Promise<string>((resolve) => call.signal.addEventListener('abort', () => resolve(`${waits.push('aborted')}`)))
  })
  server.resource('note://1', { name: 'one' }, () => 'text')
  server.resource('note://2', { name: 'two' }, () => 'text')
  server.prompt('greet', { arguments: { type: 'object', properties: { name: { type: 'string' } } } }, () => 'hello')
  return server
}

const waits: string[] = []

async function ours({ version }: Revision, given: Given = {}): Promise<{ server: Server; client: LegacyClient }> {
  const server = testServer()
  const [here, there] = channelPair()
  serveChannel(server, there)
  const client = await open(here, { versions: [version], ...given })
  onTestFinished(() => client.close())
  return { server, client }
}

describe.each(LEGACY.map((revision) => [revision.version, revision] as const))('our own server in %s', (version, revision) => {
  const asks = revision.asks.includes('elicitation/create')

  test('LIFE-001, LIFE-003: what it says about itself is what `server/discover` answers', async () => {
    const { client } = await ours(revision)
    expect(client.revision).toBe(revision)
    const found = await caller(client).result('server/discover')
    expect(found).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: 'be kind',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [MetaKey.serverInfo]: { name: 'ours', version: '2' } },
    })
  })

  test('lists come with their pages, calls with their results, all as results of the newest revision', async () => {
    const { client } = await ours(revision)
    const { result } = caller(client)
    const first = await result('tools/list')
    expect(first).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      tools: [{ name: 'a' }, { name: 'b' }],
    })
    expect(await result('tools/list', { cursor: first.nextCursor })).toMatchObject({
      tools: [{ name: 'ask' }, { name: 'sample' }],
    })
    const called = await result('tools/call', { name: 'a' })
    expect(called).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'a' }] })
    expect(called).not.toHaveProperty('ttlMs')
    expect(await result('resources/read', { uri: 'note://1' })).toMatchObject({ contents: [{ text: 'text' }], ttlMs: 0 })
    expect(await result('prompts/get', { name: 'greet' })).toMatchObject({ messages: [{ content: { text: 'hello' } }] })
  })

  test('progress and log messages come to the request that asked for them', async () => {
    const { client } = await ours(revision)
    const loud = caller(client, { progressToken: 'mine', [MetaKey.logLevel]: 'warning' })
    const quiet = caller(client)
    await Promise.all([loud.result('tools/call', { name: 'work' }), quiet.result('tools/call', { name: 'a' })])
    expect(loud.notifications).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'mine', progress: 1, total: 2 } },
      { method: 'notifications/progress', params: { progressToken: 'mine', progress: 2, total: 2 } },
      { method: 'notifications/message', params: { level: 'warning', data: 'watch out' } },
    ])
    expect(quiet.notifications).toEqual([])
    const verbose = caller(client, { [MetaKey.logLevel]: 'debug' })
    await verbose.result('tools/call', { name: 'work' })
    expect(verbose.notifications.length).toBe(2)
  })

  test('one function answers whatever the server asks', async () => {
    const answer = vi.fn(async (method: string): Promise<JsonObject> => ANSWERS[method] ?? {})
    const { client } = await ours(revision, { answer })
    const { result } = caller(client)
    expect(await result('tools/call', { name: 'sample' })).toMatchObject({
      content: [{ text: expect.stringContaining('hello') as string }],
    })
    expect(await result('tools/call', { name: 'roots' })).toMatchObject({
      content: [{ text: expect.stringContaining('file:///here') as string }],
    })
    if (asks) expect(await result('tools/call', { name: 'ask' })).toMatchObject({ content: [{ text: '{"days":3}' }] })
    expect(answer.mock.calls.map(([method]) => method)).toEqual([
      'sampling/createMessage',
      'roots/list',
      ...(asks ? ['elicitation/create'] : []),
    ])
  })

  test('a request that is given up is cancelled on the server', async () => {
    const { client } = await ours(revision)
    const controller = new AbortController()
    const before = waits.length
    const waiting = caller(client).request('tools/call', { name: 'wait' }, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 20)
    await expect(waiting).rejects.toThrow('enough')
    await eventually(() => expect(waits.length).toBe(before + 1))
    expect(await caller(client).result('tools/call', { name: 'a' })).toMatchObject({ content: [{ text: 'a' }] })
  })

  test('changes come to those who listen for them, and resources are watched once', async () => {
    const { client, server } = await ours(revision)
    const controllers = [new AbortController(), new AbortController()]
    const callers = controllers.map(() => caller(client))
    const notifications = { toolsListChanged: true, somethingElse: true, resourceSubscriptions: ['note://1', 'note://none'] }
    const listening = callers.map((one, at) =>
      one.request('subscriptions/listen', { notifications }, { signal: (controllers[at] as AbortController).signal }),
    )
    for (const one of callers) await eventually(() => expect(one.notifications.length).toBe(1))
    expect(callers[0]?.notifications[0]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        _meta: { [MetaKey.subscriptionId]: 1 },
        notifications: { toolsListChanged: true, resourceSubscriptions: ['note://1'] },
      },
    })
    server.tool('late', { input: { type: 'object' } }, () => 'late')
    server.resourceUpdated('note://1')
    server.resourceUpdated('note://2')
    for (const one of callers) await eventually(() => expect(one.notifications.length).toBe(3))
    expect(callers[1]?.notifications.map(({ method }) => method).sort()).toEqual([
      'notifications/resources/updated',
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ])
    controllers[0]?.abort(new Error('over'))
    await expect(listening[0]).rejects.toThrow('over')
    server.resourceUpdated('note://1')
    await eventually(() => expect(callers[1]?.notifications.length).toBe(4))
    expect(callers[0]?.notifications.length).toBe(3)
    await Promise.all([client.close(), expect(listening[1]).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })])
  })

  test('a resource that does not exist has the code of the newest revision', async () => {
    const { client } = await ours(revision)
    const error = await caller(client).error('resources/read', { uri: 'note://none' })
    expect(error).toMatchObject({ code: -32602, data: { uri: 'note://none' } })
  })

  test('methods that the revision cannot have are refused here, others there', async () => {
    const { client } = await ours(revision)
    expect(await caller(client).error('tasks/get', {})).toMatchObject({ code: ErrorCode.methodNotFound })
    expect(await caller(client).error('extension/unknown', {})).toMatchObject({ code: ErrorCode.methodNotFound })
    expect(version < '2026').toBe(true)
  })

  test('close ends everything, and says so once', async () => {
    const { client } = await ours(revision)
    const reasons: Error[] = []
    client.onClose((reason) => reasons.push(reason))
    const waiting = caller(client).request('tools/call', { name: 'wait' })
    await Promise.all([client.close(), expect(waiting).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })])
    await client.close()
    await expect(caller(client).request('tools/list')).rejects.toMatchObject({ retryable: false })
    client.onClose((reason) => reasons.push(reason))
    expect(reasons.length).toBe(2)
  })
})

describe('an odd server: the handshake', () => {
  test('LIFE-001, LIFE-003, LIFE-007: initialize asks for the newest version, and is confirmed', async () => {
    const server = odd()
    await (await open(server.channel)).close()
    expect(server.received).toMatchObject([
      {
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
          clientInfo: INFO,
        },
      },
      { method: 'notifications/initialized' },
    ])
  })

  test('an older version gets what it knows', async () => {
    const server = odd({ initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: {} }) })
    await (await open(server.channel, { versions: ['2024-11-05'] })).close()
    expect(server.received[0]).toMatchObject({
      params: { capabilities: { sampling: {}, roots: {} }, clientInfo: { name: 'tester', version: '1' } },
    })
    expect(JSON.stringify(server.received[0])).not.toMatch(/elicitation|title/)
  })

  test('LIFE-011: a version never asked for is an error that names all of them, and the end', async () => {
    for (const protocolVersion of ['2027-01-01', '2026-07-28', null, 7]) {
      const server = odd({ initialize: () => ({ protocolVersion, capabilities: {} }) })
      const error = await open(server.channel, { versions: ['2025-06-18', '2025-03-26'] }).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(NegotiationError)
      expect(error).toMatchObject({
        code: 'NEGOTIATION_FAILED',
        requested: '2025-06-18',
        supported: ['2025-06-18', '2025-03-26'],
        answered: protocolVersion,
      })
      expect((error as Error).message).toContain('2025-06-18, 2025-03-26')
      expect(server.methods()).toEqual(['initialize'])
    }
  })

  test('LIFE-009: another version that is known is taken', async () => {
    const server = odd({ initialize: () => ({ protocolVersion: '2024-11-05', capabilities: {} }) })
    expect((await open(server.channel)).revision.version).toBe('2024-11-05')
  })

  test('LIFE-014: a refusal that names versions is followed by one of them', async () => {
    const server = odd({
      initialize({ protocolVersion }) {
        if (protocolVersion === '2025-11-25')
          throw new RpcError(-32602, 'Unsupported protocol version', { supported: ['2024-11-05'] })
        return { protocolVersion, capabilities: {} }
      },
    })
    expect((await open(server.channel)).revision.version).toBe('2024-11-05')
    const refusing = odd({
      initialize: () => {
        throw new RpcError(-32603, 'no')
      },
    })
    await expect(open(refusing.channel)).rejects.toMatchObject({ name: 'RpcError', code: -32603 })
  })

  test('LIFE-015: a handshake that is given up is not cancelled but ended', async () => {
    const server = odd({ initialize: undefined as unknown as Reply })
    const signal = AbortSignal.timeout(20)
    await expect(open(server.channel, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(server.methods()).toEqual(['initialize'])
    await expect(open(odd().channel, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('a server that goes away during the handshake', async () => {
    const server = odd({ initialize: undefined as unknown as Reply })
    const opening = open(server.channel)
    await Promise.all([expect(opening).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true }), server.end()])
  })

  test('70.5: capabilities that are missing, true, false or null', async () => {
    const found = async (capabilities: unknown, protocolVersion = '2025-11-25'): Promise<unknown> => {
      const server = odd({
        initialize: () => ({ protocolVersion, capabilities, instructions: null, serverInfo: { name: 'x', title: null } }),
      })
      return caller(await open(server.channel)).result('server/discover')
    }
    expect(await found(undefined)).toMatchObject({ capabilities: {}, _meta: { [MetaKey.serverInfo]: { name: 'x' } } })
    expect(await found(null)).not.toHaveProperty('instructions')
    const read = await found({
      tools: true,
      resources: { subscribe: true, listChanged: null },
      prompts: false,
      logging: null,
      completions: true,
      tasks: {},
    })
    expect(read).toMatchObject({ capabilities: { tools: {}, resources: { subscribe: true }, completions: {} } })
    expect((read as JsonObject).capabilities).toEqual({ tools: {}, resources: { subscribe: true }, completions: {} })
    expect(await found({ prompts: {} }, '2024-11-05')).toMatchObject({ capabilities: { completions: {} } })
    expect(await found({ tools: {} }, '2024-11-05')).toHaveProperty('capabilities', { tools: {} })
  })
})

describe('an odd server: what it asks and tells', () => {
  test('LIFE-027: ping is answered at any time, also before the handshake', async () => {
    const server = odd({ initialize: undefined as unknown as Reply })
    const opening = open(server.channel)
    expect(await server.ask('ping', undefined, 0)).toEqual({ jsonrpc: '2.0', id: 0, result: {} })
    const id = (server.received[0] as Request).id
    server.send({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities: {} } })
    await opening
    expect(await server.ask('ping', undefined, '')).toEqual({ jsonrpc: '2.0', id: '', result: {} })
  })

  test('questions before `initialized`, and without any call, are answered', async () => {
    const server = odd({ initialize: undefined as unknown as Reply })
    const opening = open(server.channel)
    expect(await server.ask('roots/list')).toMatchObject({ result: { roots: [{ uri: 'file:///here' }] } })
    server.send({
      jsonrpc: '2.0',
      id: (server.received[0] as Request).id,
      result: { protocolVersion: '2025-06-18', capabilities: {} },
    })
    await opening
    expect(await server.ask('sampling/createMessage', { messages: [], maxTokens: 1 })).toMatchObject({
      result: { content: { type: 'text', text: 'hello' } },
    })
  })

  test('questions come in the terms of the newest revision, answers in those of the server', async () => {
    const server = odd()
    const answer = vi.fn(
      async (method: string, _params: JsonObject): Promise<JsonObject> =>
        method === 'elicitation/create' ? { action: 'decline', content: { a: 1 } } : { resultType: 'complete', roots: [] },
    )
    await open(server.channel, { answer })
    const visit = {
      mode: 'url',
      message: 'm',
      url: 'https://x.example/',
      elicitationId: 'e1',
      _meta: { [MetaKey.subscriptionId]: 1, mine: 2 },
      title: null,
    }
    expect(await server.ask('elicitation/create', visit)).toMatchObject({ result: { action: 'decline' } })
    expect(answer.mock.calls[0]?.slice(0, 2)).toEqual([
      'elicitation/create',
      { mode: 'url', message: 'm', url: 'https://x.example/', _meta: { mine: 2 } },
    ])
    await server.ask('sampling/createMessage', {
      messages: [{ role: 'user', content: { text: 'untyped', annotations: null } }],
      maxTokens: 5,
      temperature: null,
    })
    expect(answer.mock.calls[1]?.slice(0, 2)).toEqual([
      'sampling/createMessage',
      { messages: [{ role: 'user', content: { type: 'text', text: 'untyped' } }], maxTokens: 5 },
    ])
    expect(await server.ask('roots/list', null)).toEqual({
      jsonrpc: '2.0',
      id: expect.any(String) as string,
      result: { roots: [] },
    })
  })

  test('what was not declared is not there; what fails is told without details', async () => {
    const server = odd()
    const answer = async (method: string): Promise<JsonObject> => {
      throw method === 'roots/list' ? new Error('secret') : new RpcError(-1, 'User rejected')
    }
    await open(server.channel, { capabilities: { roots: {}, sampling: {} }, answer })
    expect(await server.ask('elicitation/create', {})).toMatchObject({ error: { code: -32601 } })
    expect(await server.ask('tasks/get', {})).toMatchObject({ error: { code: -32601 } })
    expect(await server.ask('constructor')).toMatchObject({ error: { code: -32601 } })
    expect(await server.ask('sampling/createMessage', {})).toMatchObject({ error: { code: -1, message: 'User rejected' } })
    const failed = await server.ask('roots/list')
    expect(failed).toMatchObject({ error: { code: -32603 } })
    expect(JSON.stringify(failed)).not.toContain('secret')
  })

  test('a question that the server gives up is not answered any more', async () => {
    const server = odd()
    const signals: AbortSignal[] = []
    const answer = (_: string, __: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
      signals.push(signal)
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ action: 'cancel' })))
    }
    const client = await open(server.channel, { answer })
    void server.ask('elicitation/create', {}, 9)
    await eventually(() => expect(signals.length).toBe(1))
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } })
    await eventually(() => expect(signals[0]?.aborted).toBe(true))
    void server.ask('elicitation/create', {}, 10)
    await eventually(() => expect(signals.length).toBe(2))
    await client.close()
    expect(signals[1]?.aborted).toBe(true)
    expect(server.received.some((message) => 'id' in message && (message.id === 9 || message.id === 10))).toBe(false)
  })

  test('C02, C07, C08, C09: junk is reported, and answers that are none fail their request at once', async () => {
    const server = odd()
    const noise: Noise[] = []
    const client = await open(server.channel, { onNoise: (one) => noise.push(one) })
    const { request } = caller(client)
    const pending = request('tools/list')
    await eventually(() => expect(server.methods()).toContain('tools/list'))
    const { id } = server.received.find((message) => 'method' in message && message.method === 'tools/list') as Request
    for (const odd of [42, 'x', null, {}, [], { hello: 1 }]) server.send(odd)
    for (const other of [`${String(id)}`, `${String(id)}.0`, ` ${String(id)} `, null, '__proto__', 99])
      server.send({ jsonrpc: '2.0', id: other, result: {} })
    server.send({ jsonrpc: '2.0', id, result: { tools: [] } })
    server.send({ jsonrpc: '2.0', id, result: { tools: [{ name: 'twice' }] } })
    expect(await pending).toMatchObject({ result: { tools: [] } })
    expect(noise.map(({ kind }) => kind)).toEqual(['message', 'message', 'message', 'message', 'message', 'message', 'message'])
    const both = request('tools/list')
    await eventually(() => expect(server.methods().filter((method) => method === 'tools/list').length).toBe(2))
    const last = server.received.at(-1) as Request
    server.send({ jsonrpc: '2.0', id: last.id, result: {}, error: { code: 1, message: 'both' } })
    await expect(both).rejects.toMatchObject({ code: 'UNREADABLE_ANSWER' })
    expect(server.received.some((message) => 'error' in message)).toBe(false)
  })

  test('C10: keys of prototypes are data', async () => {
    const server = odd({
      'tools/call': () =>
        JSON.parse('{"content":[],"structuredContent":{"__proto__":{"a":1}},"constructor":{"prototype":{}}}') as unknown,
    })
    const result = await caller(await open(server.channel)).result('tools/call', { name: 'x' })
    expect(JSON.stringify(result.structuredContent)).toBe('{"__proto__":{"a":1}}')
    expect(({} as JsonObject).a).toBeUndefined()
  })

  test('a batch of answers is read, in whatever revision', async () => {
    const server = odd()
    const { request } = caller(await open(server.channel))
    const both = Promise.all([request('tools/list'), request('prompts/list')])
    await eventually(() => expect(server.methods()).toContain('prompts/list'))
    const ids = server.received.filter((message) => 'method' in message && 'id' in message).slice(-2) as Request[]
    server.send(ids.map(({ id }) => ({ jsonrpc: '2.0', id, result: {} })))
    expect(await both).toMatchObject([{ result: { tools: [] } }, { result: { prompts: [] } }])
  })
})

describe('an odd server: its results', () => {
  test('70.5: null for absent fields, absent lists, an empty cursor', async () => {
    const server = odd({
      'tools/list': () => ({
        nextCursor: '',
        _meta: null,
        tools: [
          { name: 't', description: null, outputSchema: null, annotations: { title: null, readOnlyHint: true } },
          'junk',
          { name: 'u', inputSchema: { default: null } },
        ],
      }),
      'prompts/list': () => ({
        prompts: [{ name: 'p', arguments: [{ name: 'a', required: null }], icons: null }],
        nextCursor: null,
      }),
      'resources/list': () => ({ resources: null }),
      'resources/templates/list': () => ({}),
      'resources/read': () => ({ contents: { uri: 'x:', text: 'one', mimeType: null } }),
      'prompts/get': () => ({ description: null, messages: [{ role: 'user', content: { text: 'untyped' } }] }),
      'completion/complete': () => ({ completion: { values: null, total: null } }),
    })
    const { result } = caller(await open(server.channel))
    expect(await result('tools/list')).toEqual({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      tools: [
        { name: 't', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
        'junk',
        { name: 'u', inputSchema: { default: null } },
      ],
    })
    expect(await result('prompts/list')).toMatchObject({ prompts: [{ name: 'p', arguments: [{ name: 'a' }] }] })
    expect(await result('resources/list')).toMatchObject({ resources: [] })
    expect(await result('resources/templates/list')).toMatchObject({ resourceTemplates: [] })
    expect(await result('resources/read', { uri: 'x:' })).toMatchObject({ contents: [{ uri: 'x:', text: 'one' }] })
    expect(await result('prompts/get', { name: 'p' })).toEqual({
      resultType: 'complete',
      messages: [{ role: 'user', content: { type: 'text', text: 'untyped' } }],
    })
    expect(await result('completion/complete', {})).toMatchObject({ completion: { values: [] } })
  })

  test('70.5: tool results without content, with unknown blocks, with null', async () => {
    const results: unknown[] = [
      { structuredContent: { a: null } },
      {},
      { content: null, isError: null, structuredContent: null, resultType: 'odd' },
      {
        content: [
          { text: 'untyped' },
          { type: 'hologram', data: 1 },
          { type: 'resource', resource: { uri: 'x:', blob: 'AA==', mimeType: null }, annotations: null },
        ],
      },
      { content: { type: 'text', text: 'single' } },
    ]
    const server = odd({ 'tools/call': () => results.shift() })
    const { result } = caller(await open(server.channel))
    const call = (): Promise<JsonObject> => result('tools/call', { name: 't' })
    expect(await call()).toEqual({ resultType: 'complete', content: [], structuredContent: { a: null } })
    expect(await call()).toEqual({ resultType: 'complete', content: [] })
    expect(await call()).toEqual({ resultType: 'complete', content: [] })
    expect(await call()).toEqual({
      resultType: 'complete',
      content: [
        { type: 'text', text: 'untyped' },
        { type: 'hologram', data: 1 },
        { type: 'resource', resource: { uri: 'x:', blob: 'AA==' } },
      ],
    })
    expect(await call()).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'single' }] })
  })

  test('requests travel without what only the newest revision has', async () => {
    const server = odd({ 'tools/call': () => ({ content: [] }) })
    const { result } = caller(await open(server.channel), { traceparent: '00-1', progressToken: 'p', [MetaKey.clientInfo]: INFO })
    await result('tools/call', { name: 't', inputResponses: { a: {} }, requestState: undefined })
    const { params } = server.received.at(-1) as Request
    expect(params).toEqual({ name: 't', _meta: { traceparent: '00-1', progressToken: expect.any(Number) as number } })
    await caller(await open(odd().channel))
      .request('ping', {}, { signal: AbortSignal.timeout(5) })
      .catch(() => {})
  })

  test('50.10: -32002 keeps its URI, or gets the one that was asked for', async () => {
    const errors = [
      new RpcError(-32002, 'gone', { uri: 'other:' }),
      new RpcError(-32002, 'gone'),
      new RpcError(-32602, 'gone', { a: 1 }),
    ]
    const server = odd({
      'resources/read': () => {
        throw errors.shift() as RpcError
      },
      'tools/call': () => {
        throw new RpcError(-32002, 'of its own')
      },
    })
    const { error } = caller(await open(server.channel))
    expect(await error('resources/read', { uri: 'mine:' })).toEqual({ code: -32602, message: 'gone', data: { uri: 'other:' } })
    expect(await error('resources/read', { uri: 'mine:' })).toEqual({ code: -32602, message: 'gone', data: { uri: 'mine:' } })
    expect(await error('resources/read', { uri: 'mine:' })).toEqual({ code: -32602, message: 'gone', data: { a: 1 } })
    expect(await error('tools/call', { name: 't' })).toMatchObject({ code: -32002 })
  })
})

describe('an odd server: log levels', () => {
  test('the level follows what the open requests want', async () => {
    const server = odd({ 'tools/list': () => ({}), 'logging/setLevel': () => ({}) })
    const client = await open(server.channel)
    for (const level of ['info', 'info', 'debug', undefined, 'error'])
      await caller(client, level ? { [MetaKey.logLevel]: level } : {}).result('tools/list')
    const levels = server.received.flatMap((message) =>
      'method' in message && message.method === 'logging/setLevel' ? [message.params?.level] : [],
    )
    expect(levels).toEqual(['info', 'debug', 'error'])
  })

  test('a server without logging is not asked; one that refuses is called all the same', async () => {
    const without = odd({ initialize: () => ({ protocolVersion: '2025-11-25', capabilities: {} }), 'tools/list': () => ({}) })
    await caller(await open(without.channel), { [MetaKey.logLevel]: 'info' }).result('tools/list')
    expect(without.methods()).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
    const refusing = odd({
      'tools/list': () => ({}),
      'logging/setLevel': () => {
        throw new RpcError(-32601, 'no')
      },
    })
    expect(await caller(await open(refusing.channel), { [MetaKey.logLevel]: 'info' }).result('tools/list')).toMatchObject({
      tools: [],
    })
  })
})

describe('an odd server: subscriptions', () => {
  const listen = (client: LegacyClient, notifications: unknown): { caller: Caller; stop(): void; ended: Promise<unknown> } => {
    const controller = new AbortController()
    const one = caller(client)
    const ended = one
      .request('subscriptions/listen', { notifications }, { signal: controller.signal })
      .catch((error: unknown) => error)
    return { caller: one, stop: () => controller.abort(new Error('stopped')), ended }
  }

  test('many listeners are one subscription, ended with the last of them', async () => {
    const server = odd({ 'resources/subscribe': () => ({}), 'resources/unsubscribe': () => ({}) })
    const client = await open(server.channel)
    const filter = { resourceSubscriptions: ['a:/x', 'a:/x'] }
    const [one, two] = [listen(client, filter), listen(client, filter)]
    await eventually(() => expect(two.caller.notifications.length).toBe(1))
    server.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:/x/child', _meta: { more: 1 } } })
    server.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:/xy' } })
    await eventually(() => expect(one.caller.notifications.length).toBe(2))
    expect(one.caller.notifications[1]).toMatchObject({
      params: { uri: 'a:/x/child', _meta: { more: 1, [MetaKey.subscriptionId]: 1 } },
    })
    one.stop()
    await one.ended
    const three = listen(client, filter)
    two.stop()
    three.stop()
    await Promise.all([two.ended, three.ended])
    await eventually(() => expect(server.methods().slice(2)).toEqual(['resources/subscribe', 'resources/unsubscribe']))
    const four = listen(client, filter)
    await eventually(() => expect(four.caller.notifications.length).toBe(1))
    expect(server.methods().slice(4)).toEqual(['resources/subscribe'])
  })

  test('what is refused, or was never offered, is not honoured', async () => {
    const server = odd({
      'resources/subscribe': ({ uri }) => {
        if (uri === 'no:') throw new RpcError(-32602, 'no')
        return {}
      },
    })
    const one = listen(await open(server.channel), {
      toolsListChanged: true,
      promptsListChanged: false,
      resourceSubscriptions: ['no:', 'yes:', 7],
    })
    await eventually(() => expect(one.caller.notifications.length).toBe(1))
    expect(one.caller.notifications[0]?.params?.notifications).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['yes:'],
    })
    const bare = odd({ initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} } }) })
    const two = listen(await open(bare.channel), { toolsListChanged: true, resourceSubscriptions: ['yes:'] })
    await eventually(() => expect(two.caller.notifications.length).toBe(1))
    expect(two.caller.notifications[0]?.params?.notifications).toEqual({})
    expect(await caller(await open(odd().channel)).error('subscriptions/listen', {})).toMatchObject({ code: -32602 })
  })

  test('after a gap everything that is listened for may have changed', async () => {
    const server = odd({ 'resources/subscribe': () => ({}) })
    const link = createChannelLink(server.channel)
    let gap: (() => void) | undefined
    const receive: typeof link.receive = (handlers) => {
      gap = handlers.onGap
      link.receive(handlers)
    }
    const client = await openLegacyClient({ link: { ...link, receive }, info: INFO, capabilities: ALL, answer: async () => ({}) })
    const one = listen(client, { promptsListChanged: true, resourceSubscriptions: ['a:'] })
    await eventually(() => expect(one.caller.notifications.length).toBe(1))
    gap?.()
    expect(one.caller.notifications.slice(1)).toMatchObject([
      { method: 'notifications/prompts/list_changed', params: { _meta: { [MetaKey.subscriptionId]: 1 } } },
      { method: 'notifications/resources/updated', params: { uri: 'a:' } },
    ])
  })

  test('they end with the connection, also while they begin', async () => {
    const server = odd({ 'resources/subscribe': undefined as unknown as Reply })
    const client = await open(server.channel)
    const [begun, beginning] = [listen(client, { toolsListChanged: true }), listen(client, { resourceSubscriptions: ['a:'] })]
    await eventually(() => expect(begun.caller.notifications.length).toBe(1))
    await server.end()
    expect(await begun.ended).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
    expect(await beginning.ended).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
  })
})

describe('an odd server: pages to visit first', () => {
  const refusal = (...urls: string[]): RpcError =>
    new RpcError(-32042, 'Visit first', {
      elicitations: urls.map((url, at) => ({ mode: 'url', message: `visit ${at}`, url, elicitationId: `e${at}` })),
    })

  const serverThat = (answers: Array<RpcError | JsonObject>): Odd =>
    odd({
      'tools/call'() {
        const next = answers.length > 1 ? answers.shift() : answers[0]
        if (next instanceof RpcError) throw next
        return next
      },
    })
  const accepted = (question: JsonObject): JsonObject => {
    const keys = Object.keys(isObject(question.inputRequests) ? question.inputRequests : {})
    return {
      inputResponses: Object.fromEntries(keys.map((key) => [key, { action: 'accept' }])),
      requestState: question.requestState,
    }
  }

  test('50.10: -32042 is a question of the newest revision; the call is repeated until the server is content', async () => {
    const server = serverThat([
      refusal('https://a.example/', 'https://b.example/'),
      refusal('https://a.example/'),
      refusal('https://c.example/'),
      { content: [] },
    ])
    const { result } = caller(await open(server.channel))
    const first = await result('tools/call', { name: 't' })
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        e0: { method: 'elicitation/create', params: { mode: 'url', message: 'visit 0', url: 'https://a.example/' } },
        e1: { method: 'elicitation/create', params: { mode: 'url', message: 'visit 1', url: 'https://b.example/' } },
      },
    })
    const again = result('tools/call', { name: 't', ...accepted(first) })
    await eventually(() => expect(server.methods().filter((method) => method === 'tools/call').length).toBe(2))
    server.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e0' } })
    const second = await again
    expect(second).toMatchObject({ inputRequests: { e0: { params: { url: 'https://c.example/' } } } })
    expect(await result('tools/call', { name: 't', ...accepted(second) })).toEqual({ resultType: 'complete', content: [] })
    expect(JSON.stringify(server.received)).not.toMatch(/inputResponses|requestState/)
  })

  test('a user who does not agree ends the call; one who waits can give up', async () => {
    const server = serverThat([refusal('https://a.example/')])
    const client = await open(server.channel)
    const question = await caller(client).result('tools/call', { name: 't' })
    const declined = { ...accepted(question), inputResponses: { e0: { action: 'decline' } } }
    expect(await caller(client).result('tools/call', { name: 't', ...declined })).toMatchObject({
      isError: true,
      content: [{ type: 'text' }],
    })
    const signal = AbortSignal.timeout(30)
    await expect(caller(client).request('tools/call', { name: 't', ...accepted(question) }, { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })

  test('a client that cannot show pages says so', async () => {
    const client = await open(serverThat([refusal('https://a.example/')]).channel, {
      capabilities: { elicitation: { form: {} } },
    })
    const { error } = caller(client)
    expect(await error('tools/call', { name: 't' })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    })
  })
})
