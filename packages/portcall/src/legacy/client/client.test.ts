import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import { callerFor, INPUT_RESPONSES, type OpenOptions, openClient } from '../../../test-kit/legacy/client.ts'
import { channelPair } from '../../jsonrpc/channel.ts'
import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { REVISIONS, type Revision } from '../../protocol/revisions.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/types.ts'
import { serveChannel } from '../../transports/stdio/server.ts'
import type { LegacyClient } from './client.ts'

const LEGACY = REVISIONS.filter(({ era }) => era === 'legacy')

function testServer(): Server {
  const server = createServer({ name: 'portcall', version: '2' }, { instructions: 'be kind', pageSize: 2 })
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
    const result = await call.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 9 })
    return JSON.stringify(result.content)
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

async function connectServer(
  { version }: Revision,
  options: OpenOptions = {},
): Promise<{ server: Server; client: LegacyClient }> {
  const server = testServer()
  const [clientChannel, serverChannel] = channelPair()
  serveChannel(server, serverChannel)
  const client = await openClient(clientChannel, { versions: [version], ...options })
  onTestFinished(() => client.close())
  return { server, client }
}

describe.each(LEGACY.map((revision) => [revision.version, revision] as const))('a Portcall server in %s', (version, revision) => {
  const hasElicitation = revision.serverRequests.includes('elicitation/create')

  test('LIFE-001, LIFE-003: server/discover returns the result of the handshake', async () => {
    const { client } = await connectServer(revision)
    expect(client.revision).toBe(revision)
    const discovered = await callerFor(client).result('server/discover')
    expect(discovered).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: 'be kind',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [MetaKey.serverInfo]: { name: 'portcall', version: '2' } },
    })
  })

  test('lists and calls return results of the newest revision', async () => {
    const { client } = await connectServer(revision)
    const { result } = callerFor(client)
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

  test('progress and log messages are delivered to the request that asked for them', async () => {
    const { client } = await connectServer(revision)
    const loud = callerFor(client, { progressToken: 'mine', [MetaKey.logLevel]: 'warning' })
    const quiet = callerFor(client)
    await Promise.all([loud.result('tools/call', { name: 'work' }), quiet.result('tools/call', { name: 'a' })])
    expect(loud.notifications).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'mine', progress: 1, total: 2 } },
      { method: 'notifications/progress', params: { progressToken: 'mine', progress: 2, total: 2 } },
      { method: 'notifications/message', params: { level: 'warning', data: 'watch out' } },
    ])
    expect(quiet.notifications).toEqual([])
    const verbose = callerFor(client, { [MetaKey.logLevel]: 'debug' })
    await verbose.result('tools/call', { name: 'work' })
    expect(verbose.notifications.length).toBe(2)
  })

  test('one handler receives all input requests', async () => {
    const handleInputRequest = vi.fn(async (method: string): Promise<JsonObject> => INPUT_RESPONSES[method] ?? {})
    const { client } = await connectServer(revision, { handleInputRequest })
    const { result } = callerFor(client)
    expect(await result('tools/call', { name: 'sample' })).toMatchObject({
      content: [{ text: expect.stringContaining('hello') as string }],
    })
    expect(await result('tools/call', { name: 'roots' })).toMatchObject({
      content: [{ text: expect.stringContaining('file:///here') as string }],
    })
    if (hasElicitation) expect(await result('tools/call', { name: 'ask' })).toMatchObject({ content: [{ text: '{"days":3}' }] })
    expect(handleInputRequest.mock.calls.map(([method]) => method)).toEqual([
      'sampling/createMessage',
      'roots/list',
      ...(hasElicitation ? ['elicitation/create'] : []),
    ])
  })

  test('an aborted request is cancelled on the server', async () => {
    const { client } = await connectServer(revision)
    const controller = new AbortController()
    const before = waits.length
    const waiting = callerFor(client).request('tools/call', { name: 'wait' }, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 20)
    await expect(waiting).rejects.toThrow('enough')
    await eventually(() => expect(waits.length).toBe(before + 1))
    expect(await callerFor(client).result('tools/call', { name: 'a' })).toMatchObject({ content: [{ text: 'a' }] })
  })

  test('changes are delivered to the listeners that subscribed to them', async () => {
    const { client, server } = await connectServer(revision)
    const controllers = [new AbortController(), new AbortController()]
    const callers = controllers.map(() => callerFor(client))
    const notifications = { toolsListChanged: true, somethingElse: true, resourceSubscriptions: ['note://1', 'note://none'] }
    const listening = callers.map((listener, index) =>
      listener.request('subscriptions/listen', { notifications }, { signal: (controllers[index] as AbortController).signal }),
    )
    for (const { notifications: received } of callers) await eventually(() => expect(received.length).toBe(1))
    expect(callers[0]?.notifications[0]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        _meta: { [MetaKey.subscriptionId]: 1 },
        notifications: { toolsListChanged: true, resourceSubscriptions: ['note://1'] },
      },
    })
    server.tool('added', { input: { type: 'object' } }, () => 'added')
    server.resourceUpdated('note://1')
    server.resourceUpdated('note://2')
    for (const { notifications: received } of callers) await eventually(() => expect(received.length).toBe(3))
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

  test('a missing resource has the code of the newest revision', async () => {
    const { client } = await connectServer(revision)
    const error = await callerFor(client).error('resources/read', { uri: 'note://none' })
    expect(error).toMatchObject({ code: -32602, data: { uri: 'note://none' } })
  })

  test('the client rejects methods of other revisions, the server unknown ones', async () => {
    const { client } = await connectServer(revision)
    expect(await callerFor(client).error('tasks/get', {})).toMatchObject({ code: ErrorCode.methodNotFound })
    expect(await callerFor(client).error('extension/unknown', {})).toMatchObject({ code: ErrorCode.methodNotFound })
    expect(version < '2026').toBe(true)
  })

  test('close fails open requests, and calls each listener once', async () => {
    const { client } = await connectServer(revision)
    const reasons: Error[] = []
    client.onClose((reason) => reasons.push(reason))
    const waiting = callerFor(client).request('tools/call', { name: 'wait' })
    await Promise.all([client.close(), expect(waiting).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })])
    await client.close()
    await expect(callerFor(client).request('tools/list')).rejects.toMatchObject({ retryable: false })
    client.onClose((reason) => reasons.push(reason))
    expect(reasons.length).toBe(2)
  })
})
