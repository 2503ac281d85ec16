import { describe, expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import type { Client } from '../client/types.ts'
import { connect } from '../connect/connect.ts'
import { type Channel, channelPair } from '../jsonrpc/channel.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { notification } from '../jsonrpc/message.ts'
import { createPeer, type Peer } from '../jsonrpc/peer.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import { collectChanges } from '../testing/assertions.ts'
import { connectPair } from '../testing/pair/pair.ts'
import { serveChannel } from '../transports/stdio/server.ts'
import { recordChannel, recordExchange } from './record.ts'
import { readRecording } from './recording.ts'
import { createRedactor } from './redact.ts'
import { replayChannel, replayExchange } from './replay.ts'

function createTestServer(): Server {
  const server = createServer({ name: 'test', version: '1' })
  server.tool(
    'add',
    { input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } as const },
    ({ a = 0, b = 0 }, call) => {
      call.progress(1, 2)
      return `${a + b}`
    },
  )
  server.tool('ask', {}, async (_args, call) =>
    JSON.stringify(await call.elicit('Who?', { type: 'object', properties: { who: { type: 'string' } } })),
  )
  return server
}

function createTestClient(exchange: Exchange): Client {
  return createClient(
    () => ({ exchange, status: 'connected', sendsParamHeaders: false, protocolVersion: '', close: async () => {} }),
    {
      elicit: () => ({ who: 'me' }),
    },
  ).client
}

interface LegacyPeer {
  readonly peer: Peer
  readonly notifications: unknown[]
}

/** Creates a client of a legacy revision from a bare peer. */
function createLegacyPeer(channel: Channel): LegacyPeer {
  const notifications: unknown[] = []
  const peer = createPeer(channel, {
    exchange: async ({ id }) => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { who: 'me' } } }),
    onNotification: ({ method, params }) => void notifications.push([method, params?.progressToken]),
  })
  return { peer, notifications }
}

async function runConversation({ peer }: { peer: Peer }, firstId = 0): Promise<unknown[]> {
  const params = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo: { name: 'c', version: '1' } }
  const initialized = await peer.request('initialize', params)
  void peer.notify(notification('notifications/initialized'))
  const sum = await peer.request('tools/call', {
    name: 'add',
    arguments: { a: 1, b: 2 },
    _meta: { progressToken: `t${firstId}` },
  })
  const elicited = await peer.request('tools/call', { name: 'ask', arguments: {} })
  return [initialized, sum, elicited].map((response) => ('result' in response ? response.result : response))
}

async function recordConversation(): Promise<{
  recorded: ReturnType<typeof recordChannel>
  results: unknown[]
  notifications: unknown[]
}> {
  const [clientChannel, serverChannel] = channelPair()
  const serverPeer = serveChannel(createTestServer(), serverChannel)
  const recorded = recordChannel(clientChannel)
  const client = createLegacyPeer(recorded)
  const results = await runConversation(client)
  await client.peer.close()
  await serverPeer.whenIdle()
  return { recorded, results, notifications: client.notifications }
}

describe('recording', () => {
  test('a channel: messages of both directions are recorded in order, with times', async () => {
    const { recorded } = await recordConversation()
    const entries = readRecording(recorded.text())
    expect(
      entries.map(({ direction, message, closed }) => [direction, closed ? 'closed' : ((message as any)?.method ?? 'response')]),
    ).toEqual([
      ['sent', 'initialize'],
      ['received', 'response'],
      ['sent', 'notifications/initialized'],
      ['sent', 'tools/call'],
      ['received', 'notifications/progress'],
      ['received', 'response'],
      ['sent', 'tools/call'],
      ['received', 'elicitation/create'],
      ['sent', 'response'],
      ['received', 'response'],
      ['sent', 'closed'],
      ['received', 'closed'],
    ])
    expect(entries.every(({ time }, index) => time >= (entries[index - 1]?.time ?? 0))).toBe(true)
    expect(recorded.lines).toHaveLength(12)
  })

  test('an Exchange: notifications have the ID of their request, and requestState is redacted', async () => {
    const lines: string[] = []
    const recorded = recordExchange(createTestServer().exchange, { now: () => 7, onLine: (line) => lines.push(line) })
    const client = createTestClient(recorded)
    await client.callTool('add', { a: 1, b: 2 }, { onProgress: () => {} })
    await client.callTool('ask')
    expect(lines).toEqual(recorded.lines)
    expect(
      readRecording(recorded).map(({ time, direction, message, ...rest }) => [
        time,
        direction,
        (message as any).method ?? 'response',
        rest,
      ]),
    ).toEqual([
      [0, 'sent', 'tools/call', {}],
      [0, 'received', 'notifications/progress', { for: 1 }],
      [0, 'received', 'response', {}],
      [0, 'sent', 'tools/call', {}],
      [0, 'received', 'response', {}],
      [0, 'sent', 'tools/call', {}],
      [0, 'received', 'response', {}],
    ])
    expect(recorded.text().match(/"requestState":"\[redacted 1\]"/g)).toHaveLength(2)
  })

  test('an invalid recording is rejected', () => {
    expect(() => readRecording('{"direction":"sent"}\n\nnonsense')).toThrow('Line 3 is not a valid entry of a recording')
    expect(() => readRecording('{}')).toThrow('Line 1')
  })
})

test('an Exchange with server requests: they have the ID of their request', async () => {
  const exchange: Exchange = async ({ id }, context) => {
    const roots = await context.ask?.('roots/list')
    return { jsonrpc: '2.0', id, result: { roots } }
  }
  const recorded = recordExchange(exchange)
  const request = { jsonrpc: '2.0' as const, id: 7, method: 'x' }
  const methods: string[] = []
  const context = {
    signal: new AbortController().signal,
    notify: () => {},
    ask: async (method: string) => {
      methods.push(method)
      return { jsonrpc: '2.0' as const, id: 99, result: { roots: [] } }
    },
  }
  const response = await recorded(request, context)
  expect(
    readRecording(recorded).map(({ direction, message, for: owner }) => [
      direction,
      (message as any).method,
      (message as any).id,
      owner,
    ]),
  ).toEqual([
    ['sent', 'x', 7, undefined],
    ['received', 'roots/list', 'server-1', 7],
    ['sent', undefined, 'server-1', 7],
    ['received', undefined, 7, undefined],
  ])
  expect(methods).toEqual(['roots/list'])
  const again = await replayExchange(recorded)({ ...request, id: 'other' }, context)
  expect(again).toEqual({ ...response, id: 'other' })
  expect(methods).toEqual(['roots/list', 'roots/list'])
})

test('redaction: well-known and configured secrets are replaced, equal ones by the same placeholder', () => {
  const redact = createRedactor(['e-mail'])
  const secret = {
    headers: { Authorization: 'Bearer abc', 'Mcp-Session-Id': 's1', accept: '*/*' },
    access_token: 'abc',
    accessToken: 'abc',
    progressToken: 'p',
    nextCursor: 'c',
    token: { kind: 'object stays', password: 'x' },
    EMail: 'a@b',
    client_secret: null,
    list: ['use Bearer q1.w2-e3 please', 'jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig end', 7],
  }
  expect(redact(secret)).toEqual({
    headers: { Authorization: '[redacted 1]', 'Mcp-Session-Id': '[redacted 2]', accept: '*/*' },
    access_token: '[redacted 3]',
    accessToken: '[redacted 3]',
    progressToken: 'p',
    nextCursor: 'c',
    token: { kind: 'object stays', password: '[redacted 4]' },
    EMail: '[redacted 5]',
    client_secret: null,
    list: ['use Bearer [redacted 6] please', 'jwt [redacted 7] end', 7],
  })
})

describe('replay', () => {
  test('the server of a channel, for a client with other IDs and tokens', async () => {
    const { recorded, results } = await recordConversation()
    const replayer = replayChannel(recorded.text(), { as: 'server' })
    const client = createLegacyPeer(replayer)
    expect(await runConversation(client, 5)).toEqual(results)
    expect(client.notifications).toEqual([['notifications/progress', 't5']])
    await client.peer.close()
    await replayer.done
  })

  test('the client of a channel, for a real server', async () => {
    const { recorded } = await recordConversation()
    const replayer = replayChannel(recorded, { as: 'client' })
    serveChannel(createTestServer(), replayer)
    await replayer.done
  })

  test('a message that is not in the recording ends the conversation', async () => {
    const { recorded } = await recordConversation()
    const replayer = replayChannel(recorded, { as: 'server' })
    const { peer } = createLegacyPeer(replayer)
    await expect(peer.request('tools/call', { name: 'other' })).rejects.toThrow(
      'The recording has no tools/call other at this point',
    )
    await expect(replayer.done).rejects.toThrow('The recording has no tools/call other at this point')
  })

  test('a conversation that ends before the recording is an error', async () => {
    const { recorded } = await recordConversation()
    const replayer = replayChannel(recorded, { as: 'server' })
    const { peer } = createLegacyPeer(replayer)
    await peer.request('initialize', {})
    await peer.close()
    await expect(replayer.done).rejects.toThrow('The conversation ended before the end of the recording')
  })

  test('concurrent requests of the recording may be sent sequentially, in another order', async () => {
    const [clientChannel, serverChannel] = channelPair()
    serveChannel(createTestServer(), serverChannel)
    const recorded = recordChannel(clientChannel)
    const { peer } = createLegacyPeer(recorded)
    const call = (to: Peer, a: number): Promise<unknown> =>
      to.request('tools/call', { name: a > 0 ? 'add' : 'ask', arguments: { a, b: 0 } })
    await peer.request('initialize', { protocolVersion: '2025-06-18', capabilities: { elicitation: {} } })
    const first = await Promise.all([peer.request('ping'), call(peer, 1), peer.request('tools/list')])
    const replayer = replayChannel(recorded, { as: 'server' })
    const again = createLegacyPeer(replayer).peer
    await again.request('initialize', {})
    const list = await again.request('tools/list')
    expect([await again.request('ping'), await call(again, 1), list].map((response: any) => response.result)).toEqual(
      first.map((response: any) => response.result),
    )
    await replayer.done
  })

  test('the server of an Exchange', async () => {
    const recorded = recordExchange(createTestServer().exchange)
    const live = createTestClient(recorded)
    const [sum, elicited] = [await live.callTool('add', { a: 1, b: 2 }, { onProgress: () => {} }), await live.callTool('ask')]
    const client = createTestClient(replayExchange(recorded.text()))
    const progress: number[] = []
    expect(await client.callTool('ask')).toEqual(elicited)
    expect(await client.callTool('add', { a: 1, b: 2 }, { onProgress: ({ progress: value }) => progress.push(value) })).toEqual(
      sum,
    )
    expect(progress).toEqual([1])
    await expect(client.callTool('add')).rejects.toThrow('The recording has no unused tools/call add')
  })

  test('a subscription: changes are sent at the recorded point, with live IDs', async () => {
    const server = createTestServer()
    let wire: ReturnType<typeof recordChannel> | undefined
    const live = await connectPair(server, { transport: 'stdio', wrapChannel: (channel) => (wire = recordChannel(channel)) })
    await live.callTool('add', { a: 1, b: 2 })
    const listening = live.listen({ toolsListChanged: true })
    await listening.acknowledged
    server.tool('added', {}, () => 'added')
    await collectChanges(listening, 1)
    await live.callTool('added')
    listening.close()
    await live.close()

    const replayer = replayChannel(wire?.text() ?? '', { as: 'server' })
    const client = await connect(replayer, { era: 'modern' })
    const again = client.listen({ toolsListChanged: true })
    await client.callTool('add', { a: 1, b: 2 })
    expect(await collectChanges(again, 1)).toEqual([{ type: 'tools' }])
    expect((await client.callTool('added')).content).toEqual([{ type: 'text', text: 'added' }])
    again.close()
    await client.close()
    await replayer.done
  })

  test('a request without a recorded response stays open until it is aborted', async () => {
    const controller = new AbortController()
    const exchange = replayExchange('{"direction":"sent","message":{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}}')
    const response = exchange(
      { jsonrpc: '2.0', id: 5, method: 'subscriptions/listen' },
      { signal: controller.signal, notify: () => {} },
    )
    controller.abort(new Error('enough'))
    await expect(response).rejects.toThrow('enough')
  })
})
