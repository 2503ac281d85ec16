import { describe, expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import type { Client } from '../client/surface.ts'
import { connect } from '../connect/connect.ts'
import { type Channel, channelPair } from '../jsonrpc/channel.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { notification } from '../jsonrpc/message.ts'
import { createPeer, type Peer } from '../jsonrpc/peer.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/surface.ts'
import { serveChannel } from '../transports/stdio/server.ts'
import { collectChanges } from './asserts.ts'
import { pair } from './pair.ts'
import { playChannel, playExchange } from './play.ts'
import { recordChannel, recordExchange } from './record.ts'
import { readRecording } from './recording.ts'
import { createRedaction } from './redact.ts'

function server(): Server {
  const made = createServer({ name: 'test', version: '1' })
  made.tool(
    'add',
    { input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } as const },
    ({ a = 0, b = 0 }, call) => {
      call.progress(1, 2)
      return `${a + b}`
    },
  )
  made.tool('ask', {}, async (_args, call) =>
    JSON.stringify(await call.elicit('Who?', { type: 'object', properties: { who: { type: 'string' } } })),
  )
  return made
}

function clientOf(exchange: Exchange): Client {
  return createClient(() => ({ exchange, status: 'open', mirrors: false, close: async () => {} }), {
    elicit: () => ({ who: 'me' }),
  }).client
}

/** A client of an older revision, by hand. */
function legacyPeer(channel: Channel): { peer: Peer; told: unknown[] } {
  const told: unknown[] = []
  const peer = createPeer(channel, {
    exchange: async ({ id }) => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { who: 'me' } } }),
    onNotification: ({ method, params }) => void told.push([method, params?.progressToken]),
  })
  return { peer, told }
}

async function converse({ peer }: { peer: Peer }, firstId = 0): Promise<unknown[]> {
  const params = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo: { name: 'c', version: '1' } }
  const opened = await peer.ask('initialize', params)
  void peer.notify(notification('notifications/initialized'))
  const sum = await peer.ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, _meta: { progressToken: `t${firstId}` } })
  const asked = await peer.ask('tools/call', { name: 'ask', arguments: {} })
  return [opened, sum, asked].map((response) => ('result' in response ? response.result : response))
}

async function recordConversation(): Promise<{
  recorded: ReturnType<typeof recordChannel>
  results: unknown[]
  told: unknown[]
}> {
  const [near, far] = channelPair()
  const serving = serveChannel(server(), far)
  const recorded = recordChannel(near)
  const client = legacyPeer(recorded)
  const results = await converse(client)
  await client.peer.close()
  await serving.idle()
  return { recorded, results, told: client.told }
}

describe('recording', () => {
  test('a channel: both directions, in order, with times', async () => {
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
    expect(entries.every(({ time }, at) => time >= (entries[at - 1]?.time ?? 0))).toBe(true)
    expect(recorded.lines).toHaveLength(12)
  })

  test('an Exchange: notifications name their request, and states are taken out', async () => {
    const lines: string[] = []
    const recorded = recordExchange(server().exchange, { now: () => 7, onLine: (line) => lines.push(line) })
    const client = clientOf(recorded)
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

  test('what is no recording', () => {
    expect(() => readRecording('{"direction":"sent"}\n\nnonsense')).toThrow('Line 3 is not one of a recording')
    expect(() => readRecording('{}')).toThrow('Line 1')
  })
})

test('an Exchange that asks while it runs: questions and answers name their request', async () => {
  const ask: Exchange = async ({ id }, context) => {
    const answer = await context.ask?.('roots/list')
    return { jsonrpc: '2.0', id, result: { answer } }
  }
  const recorded = recordExchange(ask)
  const request = { jsonrpc: '2.0' as const, id: 7, method: 'x' }
  const asked: string[] = []
  const context = {
    signal: new AbortController().signal,
    notify: () => {},
    ask: async (method: string) => {
      asked.push(method)
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
    ['received', 'roots/list', 'ask 1', 7],
    ['sent', undefined, 'ask 1', 7],
    ['received', undefined, 7, undefined],
  ])
  expect(asked).toEqual(['roots/list'])
  const again = await playExchange(recorded)({ ...request, id: 'other' }, context)
  expect(again).toEqual({ ...response, id: 'other' })
  expect(asked).toEqual(['roots/list', 'roots/list'])
})

test('redaction: secrets and what is told to be one, equal where they were equal', () => {
  const redact = createRedaction(['e-mail'])
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

describe('playing', () => {
  test('the server of a channel, to a client with other ids and tokens', async () => {
    const { recorded, results } = await recordConversation()
    const player = playChannel(recorded.text(), { as: 'server' })
    const client = legacyPeer(player)
    expect(await converse(client, 5)).toEqual(results)
    expect(client.told).toEqual([['notifications/progress', 't5']])
    await client.peer.close()
    await player.done
  })

  test('the client of a channel, to a real server', async () => {
    const { recorded } = await recordConversation()
    const player = playChannel(recorded, { as: 'client' })
    serveChannel(server(), player)
    await player.done
  })

  test('what is not in the recording ends the conversation', async () => {
    const { recorded } = await recordConversation()
    const player = playChannel(recorded, { as: 'server' })
    const { peer } = legacyPeer(player)
    await expect(peer.ask('tools/call', { name: 'other' })).rejects.toThrow('The recording has no tools/call other here')
    await expect(player.done).rejects.toThrow('The recording has no tools/call other here')
  })

  test('a conversation that ends too early', async () => {
    const { recorded } = await recordConversation()
    const player = playChannel(recorded, { as: 'server' })
    const { peer } = legacyPeer(player)
    await peer.ask('initialize', {})
    await peer.close()
    await expect(player.done).rejects.toThrow('The conversation ended before the recording did')
  })

  test('requests that were made at once may come one after the other, and the other way round', async () => {
    const [near, far] = channelPair()
    serveChannel(server(), far)
    const recorded = recordChannel(near)
    const { peer } = legacyPeer(recorded)
    const call = (to: Peer, a: number): Promise<unknown> =>
      to.ask('tools/call', { name: a > 0 ? 'add' : 'ask', arguments: { a, b: 0 } })
    await peer.ask('initialize', { protocolVersion: '2025-06-18', capabilities: { elicitation: {} } })
    const first = await Promise.all([peer.ask('ping'), call(peer, 1), peer.ask('tools/list')])
    const player = playChannel(recorded, { as: 'server' })
    const again = legacyPeer(player).peer
    await again.ask('initialize', {})
    const list = await again.ask('tools/list')
    expect([await again.ask('ping'), await call(again, 1), list].map((response: any) => response.result)).toEqual(
      first.map((response: any) => response.result),
    )
    await player.done
  })

  test('the server of an Exchange', async () => {
    const recorded = recordExchange(server().exchange)
    const live = clientOf(recorded)
    const [sum, asked] = [await live.callTool('add', { a: 1, b: 2 }, { onProgress: () => {} }), await live.callTool('ask')]
    const client = clientOf(playExchange(recorded.text()))
    const progress: number[] = []
    expect(await client.callTool('ask')).toEqual(asked)
    expect(await client.callTool('add', { a: 1, b: 2 }, { onProgress: (one) => progress.push(one.progress) })).toEqual(sum)
    expect(progress).toEqual([1])
    await expect(client.callTool('add')).rejects.toThrow('The recording has no tools/call add left')
  })

  test('a subscription: its changes come when they came, with the ids of now', async () => {
    const made = server()
    let wire: ReturnType<typeof recordChannel> | undefined
    const live = await pair(made, { transport: 'stdio', channel: (channel) => (wire = recordChannel(channel)) })
    await live.callTool('add', { a: 1, b: 2 })
    const listening = live.listen({ toolsListChanged: true })
    await listening.honoured
    made.tool('late', {}, () => 'late')
    await collectChanges(listening, 1)
    await live.callTool('late')
    listening.close()
    await live.close()

    const player = playChannel(wire?.text() ?? '', { as: 'server' })
    const client = await connect(player, { prior: 'modern' })
    const again = client.listen({ toolsListChanged: true })
    await client.callTool('add', { a: 1, b: 2 })
    expect(await collectChanges(again, 1)).toEqual([{ type: 'tools' }])
    expect((await client.callTool('late')).content).toEqual([{ type: 'text', text: 'late' }])
    again.close()
    await client.close()
    await player.done
  })

  test('what was never answered stays open until it is given up', async () => {
    const controller = new AbortController()
    const open = playExchange('{"direction":"sent","message":{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}}')
    const answer = open(
      { jsonrpc: '2.0', id: 5, method: 'subscriptions/listen' },
      { signal: controller.signal, notify: () => {} },
    )
    controller.abort(new Error('enough'))
    await expect(answer).rejects.toThrow('enough')
  })
})
