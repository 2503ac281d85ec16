import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connect } from './connect.ts'
import type { ConnectOptions } from './options.ts'

interface Received {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly message: { id?: number | string; method?: string }
}

/** A server that answers as the test says. */
async function startServer(answer: (received: Received) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => answer({ request, response, message: body === '' ? {} : JSON.parse(body) }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

const INITIALIZED = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'old', version: '1' } }

function sendJson(response: ServerResponse, message: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', ...message }))
}

/** Answers the handshake of older versions. */
function answerLegacy({ request, response, message: { id, method } }: Received): void {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  if (method === 'initialize') return sendJson(response, { id, result: INITIALIZED })
  response.writeHead(202).end()
}

async function open(url: string, options: ConnectOptions = {}): Promise<string> {
  const client = await connect(url, options)
  onTestFinished(() => client.close())
  return client.protocolVersion
}

test('a server that starts slowly is limited by connectTimeoutMs only', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => timers.mockRestore())
  const url = await startServer((received) => answerLegacy(received))
  await open(url)
  expect(timers.mock.calls.filter(([, ms]) => ms === 5000)).toEqual([])

  const silent = await startServer(() => {})
  const error = await connect(silent, { connectTimeoutMs: 200 }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringMatching(/within 200 ms \(connectTimeoutMs\)/) })
  const limited = await connect(silent, { probeTimeoutMs: 100 }).catch((reason: unknown) => reason)
  expect(limited).toMatchObject({ code: 'TIMEOUT', message: expect.stringMatching(/within 100 ms \(probeTimeoutMs\)/) })
})

test.each([500, 501])(
  'a server that answers the probe with HTTP %i is tried as an older one, and not remembered',
  async (status) => {
    const onEraDetected = vi.fn()
    const url = await startServer((received) =>
      received.message.method === 'server/discover' ? received.response.writeHead(status).end('crash') : answerLegacy(received),
    )
    expect(await open(url, { onEraDetected })).toBe('2025-06-18')
    expect(onEraDetected).not.toHaveBeenCalled()
  },
)

test.each([500, 502, 503, 504])('a server that always answers with HTTP %i fails with that status', async (status) => {
  const url = await startServer(({ response }) => response.writeHead(status).end())
  await expect(connect(url)).rejects.toMatchObject({ code: 'HTTP_STATUS', status, retryable: true })
})

test('a status that asks for a sign-in takes precedence over the error of the probe', async () => {
  const url = await startServer(({ response, message }) =>
    response.writeHead(message.method === 'server/discover' ? 500 : 401).end(),
  )
  await expect(connect(url)).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 401 })
})

/** Answers of servers of HTTP+SSE to a POST at the URL of their stream. */
const SSE_ANSWERS: { readonly [name: string]: (response: ServerResponse) => unknown } = {
  '202': (response) => response.writeHead(202).end(),
  '200 without a body': (response) => response.writeHead(200).end(),
  'a text': (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok'),
  'a page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>'),
  '404': (response) => response.writeHead(404).end(),
  '500': (response) => response.writeHead(500).end(),
  'another stream': (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: /messages\n\n'),
}

test.each(Object.keys(SSE_ANSWERS))('a server of HTTP+SSE that answers a POST with %s is recognized', async (name) => {
  let stream: ServerResponse | undefined
  const url = await startServer(({ request, response, message: { id, method } }) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return stream.write('event: endpoint\ndata: /messages\n\n')
    }
    if (request.url !== '/messages') return SSE_ANSWERS[name]?.(response)
    response.writeHead(202).end()
    const result = { ...INITIALIZED, protocolVersion: '2024-11-05' }
    if (method === 'initialize') stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
  })
  expect(await open(url)).toBe('2024-11-05')
})

test('a page that is no server is reported as it was without the last attempt', async () => {
  const url = await startServer(({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>'))
  await expect(connect(url)).rejects.toMatchObject({ code: 'INVALID_RESPONSE', message: expect.stringContaining('text/html') })
})

/** How a server answers each request of the attempts to connect, and the error that names the cause. */
interface RefusalCase {
  readonly initialize?: number
  /** The status of everything after the handshake. */
  readonly after?: number
  readonly get: number | 'stream' | 'endpoint'
  readonly post?: number
  readonly cause: object
}

const STATUS = (status: number): object => ({ code: 'HTTP_STATUS', status })

const REFUSALS: { readonly [name: string]: RefusalCase } = {
  'a version header that is refused after the handshake': { after: 400, get: 405, cause: STATUS(400) },
  'a path that disappears after the handshake': { after: 405, get: 404, cause: STATUS(405) },
  'a crash after the handshake': { after: 500, get: 405, cause: STATUS(500) },
  'a handshake that is refused, and no GET': { initialize: 400, get: 405, cause: STATUS(400) },
  'a path without POST and without a stream': { initialize: 405, get: 406, cause: STATUS(405) },
  'a handshake that crashes, and no GET': { initialize: 500, get: 405, cause: STATUS(500) },
  'a handshake that is refused, and a stream without an endpoint': { initialize: 400, get: 'stream', cause: STATUS(400) },
  'a handshake that is refused, and a sign-in for the stream': { initialize: 405, get: 401, cause: STATUS(401) },
  'a handshake that crashes, and a stream that is forbidden': { initialize: 500, get: 403, cause: STATUS(403) },
  'an endpoint of HTTP+SSE that fails': { initialize: 405, get: 'endpoint', post: 503, cause: STATUS(503) },
  'an endpoint of HTTP+SSE without a session': {
    initialize: 404,
    get: 'endpoint',
    post: 404,
    cause: { code: 'SESSION_EXPIRED' },
  },
}

test.each(Object.keys(REFUSALS))('the error names the first cause: %s', async (name) => {
  const { initialize, after = 202, get, post = 202, cause } = REFUSALS[name] as RefusalCase
  const refuse = (response: ServerResponse, status: number): unknown => response.writeHead(status).end(`status ${status}`)
  const url = await startServer(({ request, response, message: { id, method } }) => {
    if (request.method === 'GET' && typeof get === 'number') return refuse(response, get)
    if (request.method === 'GET') {
      const text = get === 'endpoint' ? 'event: endpoint\ndata: /messages\n\n' : ': hello\n\n'
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text)
    }
    if (request.url === '/messages') return refuse(response, post)
    if (method === 'server/discover') return refuse(response, 400)
    if (method !== 'initialize') return refuse(response, after)
    return initialize === undefined ? sendJson(response, { id, result: INITIALIZED }) : refuse(response, initialize)
  })
  await expect(connect(url, { connectTimeoutMs: 3000, http: { notificationTimeoutMs: 500 } })).rejects.toMatchObject(cause)
})

test('a probe that crashes does not hide the error of a handshake that is accepted', async () => {
  const url = await startServer(({ request, response, message: { id, method } }) => {
    if (request.method === 'GET') return response.writeHead(405).end()
    if (method === 'server/discover') return response.writeHead(500).end()
    if (method === 'initialize') return sendJson(response, { id, result: INITIALIZED })
    return response.writeHead(400).end()
  })
  await expect(connect(url)).rejects.toMatchObject({ code: 'HTTP_STATUS', status: 400 })
})

test('a program that exits on the probe and is then too slow is reported with its exit', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'portcall-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const marker = join(directory, 'started')
  const program = `const fs = require('fs')
    if (fs.existsSync(${JSON.stringify(marker)})) setInterval(() => {}, 1000)
    else { fs.writeFileSync(${JSON.stringify(marker)}, ''); console.error('API_KEY is not set'); process.exit(3) }`
  const error = await connect({ command: process.execPath, args: ['-e', program] }, { connectTimeoutMs: 4000 }).catch(
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', message: expect.stringContaining('API_KEY is not set') })
})
