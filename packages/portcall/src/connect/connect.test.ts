import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import type { Client } from '../client/types.ts'
import { channelPair } from '../jsonrpc/channel.ts'
import { LATEST_LEGACY, MODERN_VERSION, REVISIONS } from '../protocol/revisions.ts'
import { type ListeningServer, serve } from '../serve/node.ts'
import { createServer } from '../server/server.ts'
import { serveChannel } from '../transports/stdio/server.ts'
import { connect } from './connect.ts'

const createTestServer = () => {
  const server = createServer({ name: 'test', version: '1.0.0' }, { instructions: 'hi' })
    .tool('add', { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) }, ({ a, b }) => ({
      sum: a + b,
    }))
    .tool('greet', {}, async (_args, call) => `hello ${(await call.elicit('who?', z.object({ name: z.string() }))).name}`)
    .tool('count', {}, async (_args, call) => {
      for (let step = 1; step <= 3; step++) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        await call.progress(step, 3)
      }
      return 'counted'
    })
  server.resource('memo://{id}', {}, ({ id }) => `memo ${id}`)
  return server
}

const cleanups: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

async function serveHttp(
  options: Parameters<typeof serve>[1] = {},
): Promise<ListeningServer & { server: ReturnType<typeof createTestServer> }> {
  const server = createTestServer()
  const listening = await serve(server, { port: 0, handleProcessSignals: false, ...options })
  cleanups.push(listening.close)
  return { ...listening, server }
}

const TRANSPORTS: Record<string, (protocolVersion: string) => Promise<Client>> = {
  channel: async (protocolVersion) => {
    const [clientSide, serverSide] = channelPair()
    serveChannel(createTestServer(), serverSide)
    return connect(clientSide, { protocolVersion, elicit: () => ({ name: 'Ada' }) })
  },
  http: async (protocolVersion) => connect((await serveHttp()).url, { protocolVersion, elicit: () => ({ name: 'Ada' }) }),
}
const CASES = Object.keys(TRANSPORTS).flatMap((transport) => REVISIONS.map(({ version }) => ({ transport, version })))

describe.each(CASES)('over $transport in $version', ({ transport, version }) => {
  it('lists, calls, reads and discovers', async () => {
    const client = await (TRANSPORTS[transport] as (protocolVersion: string) => Promise<Client>)(version)
    cleanups.push(client.close)
    const supportsElicitation = REVISIONS.find((revision) => revision.version === version)?.serverRequests.includes(
      'elicitation/create',
    )
    expect(await client.discover()).toMatchObject({ instructions: 'hi', serverInfo: { name: 'test' } })
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['add', 'greet', 'count'])
    expect((await client.callTool('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '{"sum":3}' }])
    const progress: number[] = []
    await client.callTool('count', {}, { onProgress: (update) => progress.push(update.progress) })
    expect(progress).toEqual([1, 2, 3])
    if (supportsElicitation) expect((await client.callTool('greet')).content).toMatchObject([{ text: 'hello Ada' }])
    expect((await client.readResource('memo://1')).contents).toMatchObject([{ text: 'memo 1' }])
    await expect(client.readResource('other://1')).rejects.toMatchObject({ code: -32602, data: { uri: 'other://1' } })
    const controller = new AbortController()
    controller.abort(new Error('enough'))
    await expect(client.callTool('count', {}, { signal: controller.signal })).rejects.toThrow('enough')
  })
})

describe('detecting the era', () => {
  it('VER-011 chooses the newest version that both sides support', async () => {
    const { url } = await serveHttp()
    const eras: string[] = []
    const client = await connect(url, { onEraDetected: (era) => eras.push(era) })
    cleanups.push(client.close)
    expect(eras).toEqual(['modern'])
    expect((await client.discover()).supportedVersions).toContain(REVISIONS.at(-1)?.version)
    expect(await client.callTool('add', { a: 1, b: 1 })).toMatchObject({ structuredContent: { sum: 2 } })
  })

  it('VER-009 VER-010 falls back on a channel without server/discover', async () => {
    const [clientSide, serverSide] = channelPair()
    const server = createTestServer()
    server.use(async (request, context, next) => next(request, context))
    serveChannel(server, serverSide)
    const client = await connect(clientSide, { era: 'legacy' })
    cleanups.push(client.close)
    expect((await client.tools().toArray()).length).toBe(3)
    expect(client.protocolVersion).toBe(LATEST_LEGACY.version)
  })

  it('connects to a server in the same process, with its tool types', async () => {
    const server = createTestServer()
    const client = await connect<typeof server>(server)
    const { structuredContent } = await client.callTool('add', { a: 1, b: 2 })
    expectTypeOf(structuredContent).toEqualTypeOf<{ sum: number } | undefined>()
    expect(structuredContent).toEqual({ sum: 3 })
    expect(client.protocolVersion).toBe(MODERN_VERSION)
    // @ts-expect-error there is no such tool
    await client.callTool('subtract', {}).catch(() => {})
    await client.close()
    expect(client.status).toBe('closed')
    await expect(client.callTool('add', { a: 1, b: 2 })).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
  })
})

describe('reconnecting', () => {
  it('opens a new session after the old one was lost, and sends the request again', async () => {
    const first = await serveHttp()
    const client = await connect(first.url, { protocolVersion: REVISIONS.at(-2)?.version ?? '' })
    cleanups.push(client.close)
    await client.tools().toArray()
    await first.close()
    const second = createTestServer()
    const restarted = await serve(second, { port: first.port, handleProcessSignals: false })
    cleanups.push(restarted.close)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await client.callTool('add', { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } })
    expect(client.status).toBe('connected')
  })
})

it('throws the error of the first attempt, and emits no event for it', async () => {
  const events: unknown[] = []
  const opening = connect('http://127.0.0.1:9/mcp', { onEvent: (event) => void events.push(event) })
  await expect(opening).rejects.toThrow('the connection was refused')
  expect(events).toEqual([])
})

describe('processes', () => {
  const script = (body: string) => ({ command: process.execPath, args: ['-e', body] })
  const legacyServer = `
    const lines = require('node:readline').createInterface({ input: process.stdin })
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
    lines.on('line', (line) => {
      const { id, method } = JSON.parse(line)
      if (method === 'server/discover' && process.env.EXITS) process.exit(3)
      if (method === 'initialize') send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } } })
      else if (method === 'tools/call') process.exit(7)
      else if (id !== undefined && method !== 'server/discover') send({ id, result: { tools: [{ name: process.pid + '', inputSchema: { type: 'object' } }] } })
      else if (id !== undefined && !process.env.SILENT) send({ id, error: { code: -32601, message: 'no' } })
    })`

  it('VER-009 falls back without a restart when the server rejects the probe or does not respond', async () => {
    const client = await connect(script(legacyServer))
    cleanups.push(client.close)
    expect((await client.discover()).serverInfo?.name).toBe('old')
    const silent = await connect({ ...script(legacyServer), env: { SILENT: '1' }, cwd: '/tmp' }, { probeTimeoutMs: 200 })
    cleanups.push(silent.close)
    expect((await silent.tools().toArray()).length).toBe(1)
  })

  it('connects to a modern server that starts more slowly than the probe waits', async () => {
    const slow = `
      const early = []
      let isReady = false
      const answer = ({ id, method }) => {
        const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, tools: [], ttlMs: 0, cacheScope: 'private' }
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'initialize' ? { error: REFUSAL } : { result }) }))
      }
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        early.push(JSON.parse(line))
        isReady ||= early.length === 2
        if (isReady) early.splice(0).forEach(answer)
      })`
    const refusal = { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'], requested: '2025-11-25' } }
    const client = await connect(script(slow.replace('REFUSAL', JSON.stringify(refusal))), { probeTimeoutMs: 50 })
    cleanups.push(client.close)
    expect(client.protocolVersion).toBe(MODERN_VERSION)
    expect(await client.tools().toArray()).toEqual([])
  })

  it('restarts a server that exits on the probe', async () => {
    const client = await connect({ ...script(legacyServer), env: { EXITS: '1' } })
    cleanups.push(client.close)
    expect((await client.tools().toArray()).length).toBe(1)
  })

  it('STDIO-019 C03 reports the exit code and restarts the server if `restart` is set', async () => {
    const client = await connect(script(legacyServer), { restart: true, era: 'legacy' })
    cleanups.push(client.close)
    const [before] = await client.tools().toArray()
    await expect(client.callTool('exit')).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining('7'),
    })
    const [after] = await client.tools().toArray()
    expect(after?.name).not.toBe(before?.name)
    const once = await connect(script(legacyServer), { era: 'legacy' })
    cleanups.push(once.close)
    await expect(once.callTool('exit')).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    await expect(once.tools().toArray()).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
    expect(once.status).toBe('closed')
  })

  it('C04 explains why a process cannot be started', async () => {
    await expect(connect({ command: 'no-such-program' })).rejects.toThrow('PATH')
  })
})
