import { type AddressInfo, connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterEach } from 'vitest'
import type { Exchange } from '../src/jsonrpc/exchange.ts'
import { createNodeServer, type NodeServer, type NodeServerLimits } from '../src/transports/http/server/node/server.ts'
import type { HttpOptions } from '../src/transports/http/server/options.ts'
import { EVENTUALLY_TIMEOUT_MS } from './eventually.ts'

/** An HTTP response as it was sent. */
export interface RawResponse {
  status: number
  headers: Record<string, string>
  body: string
  json: any
}

/** An HTTP connection on which a test writes the bytes itself. */
export interface RawConnection {
  readonly socket: Socket
  readonly closed: boolean
  /** The received text that was not read yet. */
  readonly text: string
  send(bytes: string | Uint8Array): RawConnection
  /** Reads the next complete response. */
  response(): Promise<RawResponse>
  /** Reads the head of the next response. The body remains in `text`. */
  head(): Promise<RawResponse>
  /** Waits for a text, and reads everything up to its end. */
  until(text: string): Promise<string>
  /** Reads the next event of an SSE stream. */
  event(): Promise<{ id?: string; event?: string; retry?: string; data?: string; json?: any }>
  close(): Promise<void>
}

export function openRawConnection(port: number): RawConnection {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let closed = false
  let wake = (): void => {}
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    wake()
  })
  socket.on('close', () => {
    closed = true
    wake()
  })
  socket.on('error', () => {})
  const wait = async (ready: () => boolean): Promise<void> => {
    const deadline = Date.now() + EVENTUALLY_TIMEOUT_MS
    while (!ready()) {
      if (closed || Date.now() > deadline)
        throw new Error(`${closed ? 'closed' : 'timed out'} with ${JSON.stringify(text.slice(0, 500))}`)
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, 50)
      })
    }
  }
  const until = async (end: string): Promise<string> => {
    await wait(() => text.includes(end))
    return read(text.indexOf(end) + end.length)
  }
  const read = (length: number): string => {
    const start = text.slice(0, length)
    text = text.slice(length)
    return start
  }
  let pending = ''
  const connection: RawConnection = {
    socket,
    get closed() {
      return closed
    },
    get text() {
      return text
    },
    send(bytes) {
      socket.write(bytes)
      return connection
    },
    until,
    async head() {
      const [line = '', ...fields] = (await until('\r\n\r\n')).trim().split('\r\n')
      const headers = Object.fromEntries(
        fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]),
      )
      return { status: Number(line.split(' ')[1]), headers, body: '', json: undefined }
    },
    async response() {
      const response = await connection.head()
      const length = Number(response.headers['content-length'] ?? 0)
      if (response.headers['transfer-encoding']) {
        for (let size = -1; size !== 0; ) {
          size = parseInt(await until('\r\n'), 16)
          await wait(() => text.length >= size + 2)
          response.body += read(size)
          read(2)
        }
      } else {
        await wait(() => text.length >= length)
        response.body = read(length)
      }
      response.body = Buffer.from(response.body, 'latin1').toString()
      response.json = response.headers['content-type'] === 'application/json' ? JSON.parse(response.body) : undefined
      return response
    },
    async event() {
      while (!pending.includes('\n\n')) {
        const size = parseInt(await until('\r\n'), 16)
        if (!size) throw new Error('the stream has ended')
        await wait(() => text.length >= size + 2)
        pending += Buffer.from(read(size), 'latin1').toString()
        read(2)
      }
      const end = pending.indexOf('\n\n')
      const lines = pending.slice(0, end).split('\n')
      pending = pending.slice(end + 2)
      const event: Record<string, any> = {}
      for (const line of lines) {
        const colon = line.indexOf(':')
        if (colon > 0)
          event[line.slice(0, colon)] =
            (line.slice(0, colon) in event ? `${event[line.slice(0, colon)]}\n` : '') + line.slice(colon + 2)
      }
      if (Object.keys(event).length === 0) return connection.event()
      if (event.data) event.json = JSON.parse(event.data)
      return event
    },
    async close() {
      socket.destroy()
      if (!closed) await new Promise((resolve) => socket.once('close', resolve))
    },
  }
  return connection
}

const cleanups: Array<() => unknown> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Serves an Exchange on a free port until the test ends. */
export async function listen(
  exchange: Exchange,
  options: HttpOptions & NodeServerLimits = {},
): Promise<NodeServer & { port: number; connect: () => RawConnection; connections: () => Promise<number> }> {
  const { server, close } = createNodeServer(exchange, options)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  cleanups.push(() => close(0))
  return {
    server,
    close,
    port,
    connect: () => track(openRawConnection(port)),
    connections: promisify(server.getConnections.bind(server)),
  }
}

function track(connection: RawConnection): RawConnection {
  cleanups.push(() => connection.close())
  return connection
}

/** Returns the bytes of a request. Headers that are `undefined` are omitted. */
export function writeRequest(
  method: string,
  headers: Record<string, string | undefined>,
  body?: string,
  target = '/mcp',
): string {
  const all: Record<string, string | undefined> = { Host: 'localhost', ...headers }
  if (body !== undefined) all['Content-Length'] ??= String(Buffer.byteLength(body))
  const fields = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]))
  return `${method} ${target} HTTP/1.1\r\n${fields.join('')}\r\n${body ?? ''}`
}

export const ACCEPT = 'application/json, text/event-stream'
export const MODERN_VERSION = '2026-07-28'

/** Returns the bytes of a POST of a modern message, with the headers that repeat parts of it. */
export function modernPost(message: Record<string, any>, headers: Record<string, string | undefined> = {}): string {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    ...message,
    params: { ...message.params, _meta: { ...requestMeta(), ...message.params?._meta } },
  })
  const name = message.params?.name ?? message.params?.uri
  return writeRequest(
    'POST',
    {
      Accept: ACCEPT,
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': MODERN_VERSION,
      'Mcp-Method': message.method,
      'Mcp-Name': name,
      ...headers,
    },
    body,
  )
}

export function requestMeta(): Record<string, unknown> {
  return { 'io.modelcontextprotocol/protocolVersion': MODERN_VERSION, 'io.modelcontextprotocol/clientCapabilities': {} }
}

/** Returns the bytes of a POST without protocol headers. */
export function post(body: string, headers: Record<string, string | undefined> = {}): string {
  return writeRequest('POST', { Accept: ACCEPT, 'Content-Type': 'application/json', ...headers }, body)
}
