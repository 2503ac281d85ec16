import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { connect } from '../../connect/connect.ts'
import { REVISIONS } from '../../protocol/revisions.ts'
import { recordChannel } from '../../recording/record.ts'
import { replayChannel } from '../../recording/replay.ts'
import { createServer } from '../../server/server.ts'
import { assertError, assertRejects, assertRpcError, assertStructured, assertText, collectChanges } from '../assertions.ts'
import { faultyChannel } from '../faults/faulty-channel.ts'
import { faultyProxy } from '../faults/faulty-proxy.ts'
import { connectPair, type PairTransport } from './pair.ts'

const createTestServer = () => {
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

test('a minimal test', async () => {
  const client = await connectPair(createTestServer())
  assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  await client.close()
})

const TRANSPORTS: PairTransport[] = ['memory', 'stdio', 'http']
const CASES = TRANSPORTS.flatMap((transport) => REVISIONS.map((revision) => ({ transport, revision, version: revision.version })))

describe.each(CASES)('over $transport in $version', ({ transport, revision, version }) => {
  test('every feature of the revision works', async () => {
    const server = createTestServer()
    await using client = await connectPair(server, { transport, protocolVersion: version, elicit: () => ({ name: 'Ada' }) })
    if (revision.structuredContent !== 'none') assertStructured(await client.callTool('add', { a: 1, b: 2 }), { sum: 3 })
    assertText(await client.callTool('add', { a: 1, b: 2 }), '{"sum":3}')
    assertError(await client.callTool('fail'), 'no')
    if (revision.serverRequests.includes('elicitation/create')) assertText(await client.callTool('ask'), 'Ada')
    await assertRpcError(client.readResource('other://1'), -32602)
    const listening = client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://1'] })
    await listening.acknowledged
    server.tool('new', {}, () => 'new')
    server.resourceUpdated('memo://1')
    expect(await collectChanges(listening, 2)).toEqual(
      expect.arrayContaining([{ type: 'tools' }, { type: 'resource', uri: 'memo://1' }]),
    )
    expect(client.url?.startsWith('http://127.0.0.1:')).toBe(transport === 'http' ? true : undefined)
  })
})

test('the client is typed by the server', async () => {
  await using client = await connectPair(createTestServer())
  expectTypeOf(client.callTool<'add'>)
    .parameter(1)
    .toEqualTypeOf<{ a: number; b: number } | undefined>()
  // @ts-expect-error there is no such tool
  await assertRpcError(client.callTool('none'), -32602)
})

test('a failed connection closes the server', async () => {
  await expect(
    connectPair(createTestServer(), { transport: 'http', serve: { legacy: 'off' }, protocolVersion: '2025-06-18' }),
  ).rejects.toThrow()
})

test.each(['memory', 'stdio'] as const)('the channel of %s can be recorded, replayed and disturbed', async (transport) => {
  let wire: ReturnType<typeof recordChannel> | undefined
  const client = await connectPair(createTestServer(), { transport, wrapChannel: (channel) => (wire = recordChannel(channel)) })
  assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  await client.close()
  expect(wire?.lines.length).toBeGreaterThanOrEqual(2)

  const replayer = replayChannel(wire?.text() ?? '', { as: 'server' })
  const again = await connect(replayer, { era: 'modern' })
  assertText(await again.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  await again.close()
  await replayer.done

  const broken = await connectPair(createTestServer(), {
    transport,
    wrapChannel: (channel) => faultyChannel(channel, { received: { closeAt: 0 } }),
  })
  await assertRejects(broken.callTool('greet', { name: 'Ada' }), { code: 'CONNECTION_LOST' })
  await broken.close()
})

test('over HTTP through a faulty proxy', async () => {
  await using direct = await connectPair(createTestServer(), { transport: 'http' })
  const proxy = await faultyProxy({ target: direct.url ?? '', toClient: { splitBytes: 7 } })
  const client = await connect(proxy.url)
  assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  proxy.setFaults({ toClient: { resetAfterBytes: 40 } })
  await assertRejects(client.callTool('greet', { name: 'Ada' }), { code: 'CONNECTION_LOST' })
  proxy.setFaults({})
  assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  await client.close()
  await proxy.close()
})

test('the port is closed after close', async () => {
  const client = await connectPair(createTestServer(), { transport: 'http' })
  const { url = '' } = client
  expect((await fetch(url)).status).toBeGreaterThan(0)
  await client.close()
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('closing one of several clients does not affect the others', async () => {
  const server = createTestServer()
  const [first, second] = await Promise.all([
    connectPair(server, { transport: 'http' }),
    connectPair(server, { transport: 'stdio' }),
  ])
  await first.close()
  assertText(await second.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
  expect(first.status).toBe('closed')
  await second.close()
})
