import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import zlib from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonObject, Message } from '../../../jsonrpc/message.ts'
import { createHttpExchange, type HttpExchange } from './modern.ts'
import { createNodeFetch } from './node-fetch.ts'
import type { HttpFetch } from './types.ts'
import { createWebFetch } from './web-fetch.ts'

type Respond = (response: ServerResponse) => void

/** A client, and a server that answers each request as the test says. */
async function setUp(respond: Respond, fetch: HttpFetch = createNodeFetch(), limits = {}): Promise<HttpExchange> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => respond(response))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const client = createHttpExchange({ url: `http://127.0.0.1:${port}/mcp`, fetch, ...limits })
  onTestFinished(async () => {
    await client.close()
    fetch.close()
    server.closeAllConnections()
    server.close()
  })
  return client
}

/** Makes Node's HTTP client observed, so that it sends the requests. */
function observe(): void {
  const listener = (): void => {}
  subscribe('http.client.request.start', listener)
  onTestFinished(() => void unsubscribe('http.client.request.start', listener))
}

const PATHS: { readonly [name: string]: () => HttpFetch } = {
  'sockets of its own': () => createNodeFetch(),
  'node:http': () => {
    observe()
    return createNodeFetch()
  },
  "the platform's fetch": () => createWebFetch(),
}

const COMPRESS = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  'gzip, br': (bytes: Buffer) => zlib.brotliCompressSync(zlib.gzipSync(bytes)),
}

const RESULT = { text: 'ü'.repeat(10_000) }
const MESSAGE = { jsonrpc: '2.0', id: 1, result: RESULT }

function call(client: HttpExchange, notify: (message: Message) => void = () => {}): Promise<unknown> {
  const request = { jsonrpc: '2.0' as const, id: 1, method: 'tools/list', params: {} as JsonObject }
  return Promise.resolve(client.exchange(request, { signal: new AbortController().signal, notify }))
}

const CASES = Object.keys(PATHS).flatMap((path) => Object.keys(COMPRESS).map((coding) => [path, coding] as const))

test.each(CASES)('%s: JSON and events in %s are decoded', async (path, coding) => {
  const compress = COMPRESS[coding as keyof typeof COMPRESS]
  for (const type of ['application/json', 'text/event-stream']) {
    const text = type === 'application/json' ? JSON.stringify(MESSAGE) : `data: ${JSON.stringify(MESSAGE)}\n\n`
    const client = await setUp((response) => {
      response.writeHead(200, { 'content-type': type, 'content-encoding': coding }).end(compress(Buffer.from(text)))
    }, PATHS[path]?.())
    expect(await call(client)).toMatchObject({ result: RESULT })
  }
})

test.each(Object.keys(PATHS))('%s: an event is delivered when its bytes are flushed', async (path) => {
  const gzip = zlib.createGzip()
  const client = await setUp((response) => {
    gzip.pipe(response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }))
    gzip.write('data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n')
    gzip.flush()
  }, PATHS[path]?.())
  // The server sends the result only after the client has the notification.
  const response = call(client, () => {
    gzip.write(`data: ${JSON.stringify(MESSAGE)}\n\n`)
    gzip.flush()
  })
  expect(await response).toMatchObject({ result: RESULT })
})

const OWN_PATHS = ['sockets of its own', 'node:http']

test.each(OWN_PATHS)('%s: limits apply to the decoded bytes', async (path) => {
  const limits = { maxResponseBytes: 100_000, maxEventBytes: 100_000 }
  for (const type of ['application/json', 'text/event-stream']) {
    const text = `data: "${'x'.repeat(50_000_000)}"`
    const client = await setUp(
      (response) => {
        response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(zlib.gzipSync(text))
      },
      PATHS[path]?.(),
      limits,
    )
    await expect(call(client)).rejects.toMatchObject({ code: 'INVALID_RESPONSE', message: expect.stringContaining('100000') })
  }
})

const BROKEN: readonly (readonly [name: string, coding: string, body: Buffer, message: RegExp])[] = [
  ['truncated', 'gzip', zlib.gzipSync(JSON.stringify(MESSAGE)).subarray(0, -9), /coding gzip/],
  ['damaged', 'br', Buffer.from('{"jsonrpc":"2.0"}'), /coding br/],
  ['unknown', 'foo', Buffer.from('{"jsonrpc":"2.0"}'), /coding "foo"/],
]

test.each(OWN_PATHS.flatMap((path) => BROKEN.map((broken) => [path, ...broken] as const)))(
  '%s: a body that is %s in %s fails with the name of the coding',
  async (path, _name, coding, body, message) => {
    const client = await setUp((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding }).end(body)
    }, PATHS[path]?.())
    await expect(call(client)).rejects.toMatchObject({ code: 'INVALID_RESPONSE', message: expect.stringMatching(message) })
  },
)

test.each(Object.keys(PATHS))('%s: a compressed error response keeps its status and its text', async (path) => {
  const client = await setUp((response) => {
    response.writeHead(503, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(zlib.gzipSync('overloaded'))
  }, PATHS[path]?.())
  await expect(call(client)).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 503, body: 'overloaded' })
})

test.each(OWN_PATHS)('%s: an error response in an unknown coding keeps its status', async (path) => {
  const client = await setUp((response) => {
    response.writeHead(503, { 'content-encoding': 'foo' }).end('overloaded')
  }, PATHS[path]?.())
  await expect(call(client)).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 503 })
})

test.each(OWN_PATHS)('%s: asks for compressed lists, but not on this machine, and not for streams', async (path) => {
  const seen: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(MESSAGE))
  })
  await once(server.listen(0, '0.0.0.0'), 'listening')
  const fetch = PATHS[path]?.() as HttpFetch
  onTestFinished(() => {
    fetch.close()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const send = async (host: string, compress: boolean, headers = {}): Promise<string | undefined> => {
    await fetch(new URL(`http://${host}:${port}/`), { method: 'GET', headers, compress, connectTimeoutMs: 5000 }).response
    return seen.at(-1)?.['accept-encoding']
  }
  expect(await send('127.0.0.1', true)).toBeUndefined()
  expect(await send('0.0.0.0', true)).toBe('gzip, deflate, br')
  expect(await send('0.0.0.0', false)).toBe('identity')
  expect(await send('0.0.0.0', true, { 'accept-encoding': 'zstd' })).toBe('zstd')
})
