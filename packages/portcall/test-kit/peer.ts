import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach } from 'vitest'
import type { Exchange } from '../src/jsonrpc/exchange.ts'
import { createNodeServer } from '../src/transports/http/node-server.ts'
import { PATIENCE_MS } from './eventually.ts'

/** One request that a hand-made server got, and its connection. */
export interface Visit {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly json: any
  readonly socket: Socket
  /** When it came, in milliseconds. */
  readonly at: number
  /** Which connection it came on, from 1. */
  readonly connection: number
  readonly closed: boolean
  /** Sends bytes as they are. */
  write(bytes: string | Uint8Array): void
  /** Answers in one piece. */
  send(status: number, body?: string, headers?: Record<string, string>): void
  /** Answers with a JSON-RPC result. */
  result(result?: object, headers?: Record<string, string>): void
  /** Answers with the head of a stream that ends with the connection. */
  stream(headers?: Record<string, string>): void
  /** Sends an event with a message. */
  event(message: object, fields?: string): void
  end(): void
  reset(): void
}

export interface PeerServer {
  readonly url: string
  readonly origin: string
  readonly visits: Visit[]
  readonly connections: number
  /** Connections that are open. */
  readonly open: number
}

const cleanups: Array<() => unknown> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Runs something when the test is over. */
export function cleanup(run: () => unknown): void {
  cleanups.push(run)
}

/** A server that answers as the test says, byte for byte; `count` is the number of the visit, from 1. */
export async function peer(answer: (visit: Visit, count: number) => void): Promise<PeerServer> {
  const visits: Visit[] = []
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
      for (let found = cut(text); found; found = cut(text)) {
        text = found.rest
        const visit = createVisit(found, socket, connection)
        visits.push(visit)
        answer(visit, visits.length)
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
    visits,
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
  }
}

interface Found {
  head: string[]
  body: string
  rest: string
}

function cut(text: string): Found | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end).split('\r\n')
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1] ?? 0)
  const start = end + 4
  if (text.length < start + length) return undefined
  return { head, body: Buffer.from(text.slice(start, start + length), 'latin1').toString(), rest: text.slice(start + length) }
}

function createVisit({ head: [line = '', ...fields], body }: Found, socket: Socket, connection: number): Visit {
  const [method = '', path = ''] = line.split(' ')
  const headers = Object.fromEntries(
    fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]),
  )
  const write = (bytes: string | Uint8Array): void => void (socket.destroyed || socket.write(bytes))
  const visit: Visit = {
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
      visit.send(200, JSON.stringify({ jsonrpc: '2.0', id: visit.json.id, result }), {
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
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
  }
  return visit
}

function lines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

/** How our server behaves; `port` is any free one at first. */
export type ServeOptions = Parameters<typeof createNodeServer>[1] & { readonly port?: number }

/** Serves an Exchange until the test is over, or it is closed. */
export async function serveExchange(exchange: Exchange, options: ServeOptions = {}) {
  const { server, close } = createNodeServer(exchange, options)
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  let closing: Promise<void> | undefined
  const stop = (): Promise<void> => (closing ??= close(0))
  cleanups.push(stop)
  return { port, url: `http://127.0.0.1:${port}/mcp`, server, close: stop }
}

/** Waits until something is so. */
export async function until(ready: () => unknown): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!ready()) {
    if (Date.now() > end) throw new Error(`it did not happen within ${PATIENCE_MS} ms: ${ready}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
