import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer as createNodeServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createServer, type Server } from 'portcall'
import { connect } from 'portcall/client'
import { createGateway, type GatewayEvent } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

function createTools(name: string): Server {
  return createServer({ name, version: '1' }).tool('hello', {}, () => `Hello from ${name}`)
}

async function startServer(name: string, port = 0): Promise<{ url: string; port: number; close(): Promise<void> }> {
  const listening = await serve(createTools(name), { port, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(() => listening.close())
  return listening
}

/** Starts a server that accepts connections and never responds. */
async function startHanging(): Promise<string> {
  const server = createNodeServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp`
}

async function freeUrl(): Promise<string> {
  const { url, close } = await startServer('gone')
  await close()
  return url
}

async function timed<T>(run: () => Promise<T>): Promise<[result: T, ms: number]> {
  const startedAt = performance.now()
  const result = await run()
  return [result, performance.now() - startedAt]
}

test('with ten servers of which one hangs, one refuses and one crashes, lists contain the other seven', async () => {
  const good = await Promise.all(Array.from({ length: 6 }, (_, index) => startServer(`good-${index}`)))
  const servers = Object.fromEntries(good.map(({ url }, index) => [`good-${index}`, url]))
  const events: GatewayEvent[] = []
  const gateway = createGateway({
    servers: {
      hangs: await startHanging(),
      refuses: await freeUrl(),
      crashes: { command: process.execPath, args: ['-e', 'process.stderr.write("out of luck"); process.exit(3)'] },
      ...servers,
      local: createTools('local'),
    },
    onEvent: (event) => events.push(event),
  })
  onTestFinished(() => gateway.close())
  await using client = await connect(gateway)
  const list = async (): Promise<string[]> => (await client.tools().toArray()).map(({ name }) => name)
  const expected = [...Object.keys(servers), 'local'].map((name) => `${name}__hello`)

  const [cold, coldMs] = await timed(list)
  expect(cold).toEqual(expected)
  expect(coldMs).toBeLessThan(10 * 2100)
  const [warm, warmMs] = await timed(list)
  expect(warm).toEqual(expected)
  expect(warmMs).toBeLessThan(10 * 20)
  console.log(`cold ${coldMs.toFixed(0)} ms, warm ${warmMs.toFixed(1)} ms`)

  const { _meta: meta } = await client.request('tools/list')
  expect(Object.keys((meta as { 'io.github.portcall/unavailable': object })['io.github.portcall/unavailable']).sort()).toEqual([
    'crashes',
    'hangs',
    'refuses',
  ])
  const { servers: states } = gateway.status()
  expect(states.refuses).toMatchObject({ state: 'failing', nextAttemptAt: expect.any(Number) as number })
  expect(states.crashes?.error).toContain('out of luck')
  expect(states.hangs?.state).toBe('connecting')
  expect(states['good-0']?.state).toBe('ready')
  await expect(client.callTool('refuses__hello')).rejects.toThrow('The server refuses is not available')
  expect(await client.callTool('good-3__hello')).toMatchObject({ content: [{ text: 'Hello from good-3' }] })
})

test('a server that comes back is announced, without a request', async () => {
  const first = await startServer('comes-back')
  const gateway = createGateway({ servers: { other: createTools('other'), back: first.url } })
  onTestFinished(() => gateway.close())
  await using client = await connect(gateway)
  expect(await client.tools().toArray()).toHaveLength(2)
  await first.close()
  await expect(client.callTool('back__hello')).rejects.toThrow('not available')
  await eventually(() => expect(gateway.status().servers.back?.state).toBe('failing'))
  expect((await client.tools().toArray()).map(({ name }) => name)).toContain('other__hello')
  await using subscription = client.listen({ toolsListChanged: true })
  await subscription.acknowledged
  const changes = subscription[Symbol.asyncIterator]()
  const next = changes.next()
  await startServer('comes-back', first.port)
  expect((await next).value).toEqual({ type: 'tools' })
  expect(await client.callTool('back__hello')).toMatchObject({ content: [{ text: 'Hello from comes-back' }] })
})

test('a program that exits at each start is not started for each call', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-starts-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const log = join(folder, 'starts')
  const program = `
    const fs = require('node:fs')
    fs.appendFileSync(${JSON.stringify(log)}, 'x')
    if (fs.statSync(${JSON.stringify(log)}).size > 1) process.exit(1)
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line)
      if (method === 'tools/call') process.exit(1)
      const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' }
      console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { ...result, tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } }))
    })`
  const target = { command: process.execPath, args: ['-e', program] }
  const gateway = createGateway({ servers: { program: { target } }, names: { mode: 'never' } })
  onTestFinished(() => gateway.close())
  const client = await connect(gateway)
  onTestFinished(() => client.close())
  const deadline = performance.now() + 2000
  while (performance.now() < deadline) {
    await expect(client.callTool('echo')).rejects.toThrow(/program/)
    await delay(5)
  }
  expect((await readFile(log)).length).toBeLessThan(12)
  // While an attempt runs, no time is set for the next one.
  await eventually(() => {
    const { program } = gateway.status().servers
    expect(program).toMatchObject({ state: 'failing', nextAttemptAt: expect.any(Number) })
    expect(program?.failures).toBeGreaterThan(1)
  })
})

test('a required server that is missing fails the list', async () => {
  const gateway = createGateway({ servers: { local: createTools('local'), needed: { target: await freeUrl(), required: true } } })
  onTestFinished(() => gateway.close())
  await using client = await connect(gateway)
  await expect(client.tools().toArray()).rejects.toThrow('The server needed, which is required, is not available')
})

test('bad items are dropped and reported, and the good ones stay', async () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } })
  const object = { type: 'object' }
  const bad = [
    { name: 7, inputSchema: object },
    { name: '', inputSchema: object },
    { inputSchema: object },
    { name: 'array', inputSchema: [] },
    { name: 'string', inputSchema: { type: 'string' } },
    { name: 'remote', inputSchema: { ...object, properties: { a: { $ref: 'https://example.com/schema' } } } },
    { name: 'reference', inputSchema: { ...object, $ref: 1 } },
    { name: 'deep', inputSchema: { ...object, ...deep(1500) } },
    { name: 'output', inputSchema: object, outputSchema: 'x' },
    { name: 'good-0', inputSchema: object },
    { name: 'x'.repeat(5000), inputSchema: object },
  ]
  const good = [
    ...Array.from({ length: 99 }, (_, index) => ({ name: `good-${index}`, inputSchema: object })),
    { name: '__proto__', inputSchema: object },
    { name: 'no-schema' },
  ]
  const dropped: GatewayEvent[] = []
  const gateway = createGateway({
    servers: {
      local: createTools('local'),
      bad: async ({ id, method }) => {
        const result =
          method === 'server/discover'
            ? {
                resultType: 'complete',
                supportedVersions: ['2026-07-28'],
                capabilities: { tools: {} },
                ttlMs: 0,
                cacheScope: 'private',
              }
            : { resultType: 'complete', tools: [...good, ...bad], ttlMs: 0, cacheScope: 'private' }
        return { jsonrpc: '2.0', id, result }
      },
    },
    onEvent: (event) => void (event.type === 'item-dropped' && dropped.push(event)),
  })
  onTestFinished(() => gateway.close())
  await using client = await connect(gateway)
  const names = (await client.tools().toArray()).map(({ name }) => name)
  expect(names).toHaveLength(102)
  expect(names).toContain('bad____proto__')
  expect(dropped).toHaveLength(bad.length)
})
