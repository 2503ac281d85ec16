import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../client/types.ts'
import { SUPPORTED_VERSIONS } from '../protocol/revisions.ts'
import { httpHandler } from '../serve/http.ts'
import { nodeHandler, serve } from '../serve/node.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import { connect } from './connect.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function createCounter(): Server {
  const server = createServer({ name: 'counter', version: '1.0.0' })
  server.tool('count', { description: 'Counts.' }, async (_, call) => {
    for (let step = 1; step <= 3; step++) await call.progress(step, 3)
    return 'done'
  })
  return server
}

async function expectCounting(client: Client): Promise<void> {
  onTestFinished(() => client.close())
  const steps: number[] = []
  const counting = () => client.callTool('count', {}, { onProgress: ({ progress }) => void steps.push(progress) })
  const results = await Promise.all([counting(), counting()])
  expect(results.map(({ content }) => content)).toEqual([[{ type: 'text', text: 'done' }], [{ type: 'text', text: 'done' }]])
  expect(steps.sort()).toEqual([1, 1, 2, 2, 3, 3])
}

describe.each(SUPPORTED_VERSIONS)('a test with fake timers gets responses of %s', (protocolVersion) => {
  test('from serve', async () => {
    const serving = await serve(createCounter(), { port: 0 })
    onTestFinished(() => serving.close())
    await expectCounting(await connect(serving.url, { protocolVersion }))
  })

  test('from nodeHandler', async () => {
    const handler = nodeHandler(createCounter())
    const http = createHttpServer(handler).listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => handler.close().then(() => void http.close()))
    await expectCounting(await connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, { protocolVersion }))
  })

  test('from httpHandler', async () => {
    const handler = httpHandler(createCounter())
    onTestFinished(() => handler.close())
    const fetch: typeof globalThis.fetch = (input, init) => handler(new Request(input, init))
    await expectCounting(await connect('http://localhost/mcp', { protocolVersion, fetch }))
  })
})
