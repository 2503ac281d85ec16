import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

const GIGABYTE = 1024 ** 3
const CHUNK = 'x'.repeat(64 * 1024)
/** The calls fail long before. */
const LONG = { timeouts: { requestTimeoutMs: 600_000 } }
/** More than any buffer of the gateway, and much less than the answer. */
const MAX_GROWTH = 300 * 1024 ** 2

const RESULTS: { readonly [method: string]: object } = {
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' },
  'tools/list': {
    tools: ['json', 'events'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    ttlMs: 0,
    cacheScope: 'private',
  },
}

/** Starts a server whose tools answer with a gigabyte of text: one JSON document, or one event. Counts the bytes it could send. */
async function startHuge(): Promise<{ url: string; sent: () => number }> {
  let sent = 0
  const flood = (response: ServerResponse): void => {
    if (response.destroyed || sent >= GIGABYTE) return void response.end()
    sent += CHUNK.length
    if (response.write(CHUNK)) setImmediate(flood, response)
    else response.once('drain', () => flood(response))
  }
  const server = createHttpServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      // A client that gets no usable answer asks for a stream of HTTP+SSE.
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { id, method, params } = JSON.parse(body) as { id: number; method: string; params?: { name?: string } }
      const head = `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete",`
      const isEvents = params?.name === 'events'
      response.writeHead(200, { 'content-type': isEvents ? 'text/event-stream' : 'application/json' })
      const known = RESULTS[method]
      if (known) return void response.end(`${head}${JSON.stringify(known).slice(1)}}`)
      response.write(`${isEvents ? 'data: ' : ''}${head}"content":[{"type":"text","text":"`)
      flood(response)
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, sent: () => sent }
}

/** Creates a program that answers `tools/call` with one line of a gigabyte, which starts with the id of the request or does not. */
const hugeProgram = (start: string): string => `
const results = ${JSON.stringify(RESULTS)}
let rest = ''
process.stdin.on('data', (text) => {
  rest += text
  const lines = rest.split('\\n')
  rest = lines.pop()
  for (const line of lines.filter(Boolean)) {
    const { id, method } = JSON.parse(line)
    const head = '{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"resultType":"complete",'
    if (results[method]) process.stdout.write(head + JSON.stringify(results[method]).slice(1) + '}\\n')
    else if (method === 'tools/call') {
      process.stdout.write(${start} + '"content":[{"type":"text","text":"')
      const chunk = 'x'.repeat(65536)
      let left = ${GIGABYTE / CHUNK.length}
      const flood = () => { while (left-- > 0) if (!process.stdout.write(chunk)) return process.stdout.once('drain', flood) }
      flood()
    }
  }
})
`

test('an answer of a gigabyte fails, keeps memory bounded, and affects no other server', async () => {
  const huge = await startHuge()
  const gateway = createGateway({
    servers: {
      huge: huge.url,
      program: { target: { command: process.execPath, args: ['-e', hugeProgram('head')] } },
      anonymous: { target: { command: process.execPath, args: ['-e', hugeProgram(`'{"jsonrpc":"2.0","result":{'`)] } },
      fine: createServer({ name: 'fine', version: '1' }).tool('hello', {}, () => 'hi'),
    },
  })
  const { url, close } = await serve(gateway, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(async () => {
    await close()
    await gateway.close()
  })
  await using client = await connect(url)
  await client.tools().toArray()
  let isDone = false
  let calls = 0
  let peak = 0
  const before = process.memoryUsage.rss()
  const others = (async () => {
    while (!isDone) {
      expect(await client.callTool('fine__hello', {})).toMatchObject({ content: [{ text: 'hi' }] })
      calls++
      peak = Math.max(peak, process.memoryUsage.rss())
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  for (const name of ['huge__json', 'huge__events']) await expect(client.callTool(name, {})).rejects.toThrow()
  await expect(client.callTool('program__json', {}, LONG)).rejects.toThrow('it is larger than the limit')
  await expect(client.callTool('anonymous__json', {}, LONG)).rejects.toThrow('512 MiB to stdout without a line break')
  await eventually(() => expect(gateway.status().servers.anonymous?.state).toBe('ready'))
  isDone = true
  await others
  expect(calls).toBeGreaterThan(0)
  expect(peak - before).toBeLessThan(MAX_GROWTH)
  expect(huge.sent()).toBeLessThan(GIGABYTE / 4)
})
