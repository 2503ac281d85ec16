import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import type { Client } from '../client/surface.ts'
import { channelPair } from '../jsonrpc/channel.ts'
import { type Serving, serve } from '../node.ts'
import { REVISIONS } from '../protocol/revisions.ts'
import { createServer } from '../server/server.ts'
import { serveChannel } from '../transports/stdio/server.ts'
import { connect } from './connect.ts'

const build = () => {
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

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function overHttp(options: Parameters<typeof serve>[1] = {}): Promise<Serving & { server: ReturnType<typeof build> }> {
  const server = build()
  const serving = await serve(server, { port: 0, signals: false, ...options })
  closing.push(serving.close)
  return { ...serving, server }
}

const PLACES: Record<string, (revision: string) => Promise<Client>> = {
  channel: async (revision) => {
    const [near, far] = channelPair()
    serveChannel(build(), far)
    return connect(near, { revision, elicit: () => ({ name: 'Ada' }) })
  },
  http: async (revision) => connect((await overHttp()).url, { revision, elicit: () => ({ name: 'Ada' }) }),
}
const CASES = Object.keys(PLACES).flatMap((place) => REVISIONS.map(({ version }) => ({ place, version })))

describe.each(CASES)('connected over $place in $version', ({ place, version }) => {
  it('does what a client does', async () => {
    const client = await (PLACES[place] as (revision: string) => Promise<Client>)(version)
    closing.push(client.close)
    const canAsk = REVISIONS.find((revision) => revision.version === version)?.asks.includes('elicitation/create')
    expect(await client.discover()).toMatchObject({ instructions: 'hi', serverInfo: { name: 'test' } })
    expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['add', 'greet', 'count'])
    expect((await client.callTool('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '{"sum":3}' }])
    const progress: number[] = []
    await client.callTool('count', {}, { onProgress: (update) => progress.push(update.progress) })
    expect(progress).toEqual([1, 2, 3])
    if (canAsk) expect((await client.callTool('greet')).content).toMatchObject([{ text: 'hello Ada' }])
    expect((await client.read('memo://1')).contents).toMatchObject([{ text: 'memo 1' }])
    await expect(client.read('other://1')).rejects.toMatchObject({ code: -32602, data: { uri: 'other://1' } })
    const controller = new AbortController()
    controller.abort(new Error('enough'))
    await expect(client.callTool('count', {}, { signal: controller.signal })).rejects.toThrow('enough')
  })
})

describe('finding the era', () => {
  it('VER-011 takes the newest that both speak', async () => {
    const { url } = await overHttp()
    const eras: string[] = []
    const client = await connect(url, { onEra: (era) => eras.push(era) })
    closing.push(client.close)
    expect(eras).toEqual(['modern'])
    expect((await client.discover()).supportedVersions).toContain(REVISIONS.at(-1)?.version)
    expect(await client.callTool('add', { a: 1, b: 1 })).toMatchObject({ structuredContent: { sum: 2 } })
  })

  it('VER-009 VER-010 falls back on a channel that does not know server/discover', async () => {
    const [near, far] = channelPair()
    const server = build()
    server.use(async (request, context, next) => next(request, context))
    serveChannel(server, far)
    const client = await connect(near, { prior: 'legacy' })
    closing.push(client.close)
    expect((await client.tools().toArray()).length).toBe(3)
  })

  it('connects to a server in the same process, typed by it', async () => {
    const server = build()
    const client = await connect<typeof server>(server)
    const { structuredContent } = await client.callTool('add', { a: 1, b: 2 })
    expectTypeOf(structuredContent).toEqualTypeOf<{ sum: number } | undefined>()
    expect(structuredContent).toEqual({ sum: 3 })
    // @ts-expect-error there is no such tool
    await client.callTool('subtract', {}).catch(() => {})
    await client.close()
    expect(client.status).toBe('closed')
    await expect(client.callTool('add', { a: 1, b: 2 })).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  })
})

describe('healing', () => {
  it('opens a lost session again, and repeats what the server has not looked at', async () => {
    const first = await overHttp()
    const client = await connect(first.url, { revision: REVISIONS.at(-2)?.version ?? '' })
    closing.push(client.close)
    await client.tools().toArray()
    await first.close()
    const second = build()
    const again = await serve(second, { port: first.port, signals: false })
    closing.push(again.close)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await client.callTool('add', { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } })
    expect(client.status).toBe('open')
  })
})

describe('programs', () => {
  const script = (body: string) => ({ command: process.execPath, args: ['-e', body] })
  const legacyServer = `
    const lines = require('node:readline').createInterface({ input: process.stdin })
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
    lines.on('line', (line) => {
      const { id, method } = JSON.parse(line)
      if (method === 'server/discover' && process.env.DIES) process.exit(3)
      if (method === 'initialize') send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } } })
      else if (method === 'tools/call') process.exit(7)
      else if (id !== undefined && method !== 'server/discover') send({ id, result: { tools: [{ name: process.pid + '', inputSchema: { type: 'object' } }] } })
      else if (id !== undefined && !process.env.SILENT) send({ id, error: { code: -32601, message: 'no' } })
    })`

  it('VER-009 falls back in place when the server knows nothing of the newest revision, or says nothing', async () => {
    const client = await connect(script(legacyServer))
    closing.push(client.close)
    expect((await client.discover()).serverInfo?.name).toBe('old')
    const silent = await connect({ ...script(legacyServer), env: { SILENT: '1' }, cwd: '/tmp' }, { probeMs: 200 })
    closing.push(silent.close)
    expect((await silent.tools().toArray()).length).toBe(1)
  })

  it('starts a server again that ends when it is asked something new', async () => {
    const client = await connect({ ...script(legacyServer), env: { DIES: '1' } })
    closing.push(client.close)
    expect((await client.tools().toArray()).length).toBe(1)
  })

  it('STDIO-019 C03 names how a server ended, and starts it again by option', async () => {
    const client = await connect(script(legacyServer), { restart: true, prior: 'legacy' })
    closing.push(client.close)
    const [before] = await client.tools().toArray()
    await expect(client.callTool('die')).rejects.toMatchObject({ code: 'CONNECTION_LOST', message: expect.stringContaining('7') })
    const [after] = await client.tools().toArray()
    expect(after?.name).not.toBe(before?.name)
    const once = await connect(script(legacyServer), { prior: 'legacy' })
    closing.push(once.close)
    await expect(once.callTool('die')).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    await expect(once.tools().toArray()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(once.status).toBe('closed')
  })

  it('C04 explains why a program cannot be started', async () => {
    await expect(connect({ command: 'no-such-program' })).rejects.toThrow('PATH')
  })
})
