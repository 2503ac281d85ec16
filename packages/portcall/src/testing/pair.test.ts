import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { connect } from '../connect/connect.ts'
import { REVISIONS } from '../protocol/revisions.ts'
import { createServer } from '../server/server.ts'
import { assertError, assertRejects, assertRpcError, assertStructured, assertText, collectChanges } from './asserts.ts'
import { faultyChannel } from './faulty-channel.ts'
import { faultyProxy } from './faulty-proxy.ts'
import { type PairTransport, pair } from './pair.ts'
import { playChannel } from './play.ts'
import { recordChannel } from './record.ts'

const build = () => {
  const server = createServer({ name: 'test', version: '1' })
    .tool('add', { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) }, ({ a, b }) => ({
      sum: a + b,
    }))
    .tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}`)
    .tool('fail', {}, () => ({ isError: true, content: [{ type: 'text', text: 'no' }] }))
    .tool('ask', {}, async (_args, call) => (await call.elicit('who?', z.object({ name: z.string() }))).name)
  server.resource('memo://{id}', {}, ({ id }) => `memo ${id}`)
  return server
}

test('five lines', async () => {
  const client = await pair(build())
  assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  await client.close()
})

const TRANSPORTS: PairTransport[] = ['memory', 'stdio', 'http']
const CASES = TRANSPORTS.flatMap((transport) => REVISIONS.map((revision) => ({ transport, revision, version: revision.version })))

describe.each(CASES)('over $transport in $version', ({ transport, revision, version }) => {
  test('everything works as it does for a user', async () => {
    const server = build()
    await using client = await pair(server, { transport, revision: version, elicit: () => ({ name: 'Ada' }) })
    if (revision.structuredContent !== 'none') assertStructured(await client.callTool('add', { a: 1, b: 2 }), { sum: 3 })
    assertText(await client.callTool('add', { a: 1, b: 2 }), '{"sum":3}')
    assertError(await client.callTool('fail'), 'no')
    if (revision.asks.includes('elicitation/create')) assertText(await client.callTool('ask'), 'Ada')
    await assertRpcError(client.read('other://1'), -32602)
    const listening = client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://1'] })
    await listening.honoured
    server.tool('new', {}, () => 'new')
    server.resourceUpdated('memo://1')
    expect(await collectChanges(listening, 2)).toEqual(
      expect.arrayContaining([{ type: 'tools' }, { type: 'resource', uri: 'memo://1' }]),
    )
    expect(client.url?.startsWith('http://127.0.0.1:')).toBe(transport === 'http' ? true : undefined)
  })
})

test('the client is typed by the server', async () => {
  await using client = await pair(build())
  expectTypeOf(client.callTool<'add'>)
    .parameter(1)
    .toEqualTypeOf<{ a: number; b: number } | undefined>()
  // @ts-expect-error there is no such tool
  await assertRpcError(client.callTool('none'), -32602)
})

test('a client that cannot be made leaves nothing behind', async () => {
  await expect(pair(build(), { transport: 'http', serve: { legacy: 'off' }, revision: '2025-06-18' })).rejects.toThrow()
})

test.each(['memory', 'stdio'] as const)('the channel of %s can be recorded, played and broken', async (transport) => {
  let wire: ReturnType<typeof recordChannel> | undefined
  const client = await pair(build(), { transport, channel: (channel) => (wire = recordChannel(channel)) })
  assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  await client.close()
  expect(wire?.lines.length).toBeGreaterThanOrEqual(2)

  const player = playChannel(wire?.text() ?? '', { as: 'server' })
  const again = await connect(player, { prior: 'modern' })
  assertText(await again.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  await again.close()
  await player.done

  const broken = await pair(build(), { transport, channel: (channel) => faultyChannel(channel, { received: { endAt: 0 } }) })
  await assertRejects(broken.callTool('greet', { name: 'Ada' }), { code: 'CONNECTION_LOST' })
  await broken.close()
})

test('over HTTP by way of a faulty proxy', async () => {
  await using direct = await pair(build(), { transport: 'http' })
  const proxy = await faultyProxy({ target: direct.url ?? '', toClient: { splitBytes: 7 } })
  const client = await connect(proxy.url)
  assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  proxy.set({ toClient: { resetAfterBytes: 40 } })
  await assertRejects(client.callTool('greet', { name: 'Ada' }), { code: 'CONNECTION_LOST' })
  proxy.set({})
  assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  await client.close()
  await proxy.close()
})

test('nothing listens after close', async () => {
  const client = await pair(build(), { transport: 'http' })
  const { url = '' } = client
  expect((await fetch(url)).status).toBeGreaterThan(0)
  await client.close()
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('one server, several clients; closing one leaves the others alone', async () => {
  const server = build()
  const [one, other] = await Promise.all([pair(server, { transport: 'http' }), pair(server, { transport: 'stdio' })])
  await one.close()
  assertText(await other.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  expect(one.status).toBe('closed')
  await other.close()
})
