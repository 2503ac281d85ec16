import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach } from 'vitest'
import type { Exchange } from '../src/jsonrpc/exchange.ts'
import { createNodeServer } from '../src/transports/http/server/node/server.ts'
import { EVENTUALLY_TIMEOUT_MS } from './eventually.ts'

/** A request that a scripted server received, and its connection. */
export interface ScriptedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly json: any
  readonly socket: Socket
  /** When the request arrived, in milliseconds. */
  readonly at: number
  /** The number of the connection, from 1. */
  readonly connection: number
  readonly closed: boolean
  /** Sends bytes unchanged. */
  write(bytes: string | Uint8Array): void
  /** Sends a complete response. */
  send(status: number, body?: string, headers?: Record<string, string>): void
  /** Sends a JSON-RPC result. */
  result(result?: object, headers?: Record<string, string>): void
  /** Sends the head of an SSE stream that ends with the connection. */
  stream(headers?: Record<string, string>): void
  /** Sends an SSE event with a message. */
  event(message: object, fields?: string): void
  close(): void
  reset(): void
}

export interface ScriptedServer {
  readonly url: string
  readonly origin: string
  readonly requests: ScriptedRequest[]
  readonly connections: number
  /** The number of open connections. */
  readonly openConnections: number
}

const cleanups: Array<() => unknown> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Calls a function at the end of the test. */
export function onTestEnd(run: () => unknown): void {
  cleanups.push(run)
}

/** Starts a server whose responses the test writes. `count` is the number of the request, from 1. */
export async function startScriptedServer(respond: (request: ScriptedRequest, count: number) => void): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    const connection = ++connections
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (let parsed = parseRequest(text); parsed; parsed = parseRequest(text)) {
        text = parsed.rest
        const request = createRequest(parsed, socket, connection)
        requests.push(request)
        respond(request, requests.length)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    origin,
    url: `${origin}/mcp`,
    requests,
    get connections() {
      return connections
    },
    get openConnections() {
      return sockets.size
    },
  }
}

interface ParsedRequest {
  head: string[]
  body: string
  rest: string
}

function parseRequest(text: string): ParsedRequest | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end).split('\r\n')
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1] ?? 0)
  const start = end + 4
  if (text.length < start + length) return undefined
  return { head, body: Buffer.from(text.slice(start, start + length), 'latin1').toString(), rest: text.slice(start + length) }
}

function createRequest(
  { head: [line = '', ...fields], body }: ParsedRequest,
  socket: Socket,
  connection: number,
): ScriptedRequest {
  const [method = '', path = ''] = line.split(' ')
  const headers = Object.fromEntries(
    fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]),
  )
  const write = (bytes: string | Uint8Array): void => void (socket.destroyed || socket.write(bytes))
  const request: ScriptedRequest = {
    method,
    path,
    headers,
    body,
    json: body ? JSON.parse(body) : undefined,
    socket,
    at: performance.now(),
    connection,
    get closed() {
      return socket.destroyed
    },
    write,
    send(status, text = '', more = {}) {
      const all = { 'content-length': String(Buffer.byteLength(text)), ...more }
      write(`HTTP/1.1 ${status} Status\r\n${lines(all)}\r\n${text}`)
    },
    result(result = {}, more = {}) {
      request.send(200, JSON.stringify({ jsonrpc: '2.0', id: request.json.id, result }), {
        'content-type': 'application/json',
        ...more,
      })
    },
    stream(more = {}) {
      write(`HTTP/1.1 200 OK\r\n${lines({ 'content-type': 'text/event-stream', connection: 'close', ...more })}\r\n`)
    },
    event(message, fields = '') {
      write(`${fields}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
    },
    close: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
  }
  return request
}

function lines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

/** The options of the server. The default port is a free one. */
export type ServeOptions = Parameters<typeof createNodeServer>[1] & { readonly port?: number }

/** Serves an Exchange until the test ends or the server is closed. */
export async function serveExchange(exchange: Exchange, options: ServeOptions = {}) {
  const { server, close } = createNodeServer(exchange, options)
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  let closing: Promise<void> | undefined
  const stop = (): Promise<void> => (closing ??= close(0))
  cleanups.push(stop)
  return { port, url: `http://127.0.0.1:${port}/mcp`, server, close: stop }
}

/** Waits until a condition is true. */
export async function until(condition: () => unknown): Promise<void> {
  const deadline = Date.now() + EVENTUALLY_TIMEOUT_MS
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not true within ${EVENTUALLY_TIMEOUT_MS} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
