import { type AddressInfo, connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterEach } from 'vitest'
import type { Exchange } from '../src/jsonrpc/exchange.ts'
import { createNodeServer, type NodeServer, type NodeServerLimits } from '../src/transports/http/node-server.ts'
import type { HttpOptions } from '../src/transports/http/options.ts'
import { PATIENCE_MS } from './eventually.ts'

/** One answer as it stood on the wire. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
  json: any
}

/** A connection with hand-written bytes. */
export interface Raw {
  readonly socket: Socket
  readonly closed: boolean
  /** Everything that came and was not yet taken. */
  readonly text: string
  send(bytes: string | Uint8Array): Raw
  /** The next whole answer. */
  answer(): Promise<Answer>
  /** The head of the next answer; what follows stays. */
  head(): Promise<Answer>
  /** Waits until a text has come, and takes all up to its end. */
  until(text: string): Promise<string>
  /** The next event of a stream. */
  event(): Promise<{ id?: string; event?: string; retry?: string; data?: string; json?: any }>
  end(): Promise<void>
}

export function open(port: number): Raw {
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
    const until = Date.now() + PATIENCE_MS
    while (!ready()) {
      if (closed || Date.now() > until)
        throw new Error(`${closed ? 'closed' : 'timed out'} with ${JSON.stringify(text.slice(0, 500))}`)
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, 50)
      })
    }
  }
  const until = async (mark: string): Promise<string> => {
    await wait(() => text.includes(mark))
    return take(text.indexOf(mark) + mark.length)
  }
  const take = (length: number): string => {
    const taken = text.slice(0, length)
    text = text.slice(length)
    return taken
  }
  let pending = ''
  const raw: Raw = {
    socket,
    get closed() {
      return closed
    },
    get text() {
      return text
    },
    send(bytes) {
      socket.write(bytes)
      return raw
    },
    until,
    async head() {
      const [line = '', ...fields] = (await until('\r\n\r\n')).trim().split('\r\n')
      const headers = Object.fromEntries(
        fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]),
      )
      return { status: Number(line.split(' ')[1]), headers, body: '', json: undefined }
    },
    async answer() {
      const answer = await raw.head()
      const length = Number(answer.headers['content-length'] ?? 0)
      if (answer.headers['transfer-encoding']) {
        for (let size = -1; size !== 0; ) {
          size = parseInt(await until('\r\n'), 16)
          await wait(() => text.length >= size + 2)
          answer.body += take(size)
          take(2)
        }
      } else {
        await wait(() => text.length >= length)
        answer.body = take(length)
      }
      answer.body = Buffer.from(answer.body, 'latin1').toString()
      answer.json = answer.headers['content-type'] === 'application/json' ? JSON.parse(answer.body) : undefined
      return answer
    },
    async event() {
      while (!pending.includes('\n\n')) {
        const size = parseInt(await until('\r\n'), 16)
        if (!size) throw new Error('the stream is over')
        await wait(() => text.length >= size + 2)
        pending += Buffer.from(take(size), 'latin1').toString()
        take(2)
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
      if (Object.keys(event).length === 0) return raw.event()
      if (event.data) event.json = JSON.parse(event.data)
      return event
    },
    async end() {
      socket.destroy()
      if (!closed) await new Promise((resolve) => socket.once('close', resolve))
    },
  }
  return raw
}

const cleanups: Array<() => unknown> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Serves an Exchange on a free port until the test is over. */
export async function listen(
  exchange: Exchange,
  options: HttpOptions & NodeServerLimits = {},
): Promise<NodeServer & { port: number; connect: () => Raw; connections: () => Promise<number> }> {
  const { server, close } = createNodeServer(exchange, options)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  cleanups.push(() => close(0))
  return { server, close, port, connect: () => track(open(port)), connections: promisify(server.getConnections.bind(server)) }
}

function track(raw: Raw): Raw {
  cleanups.push(() => raw.end())
  return raw
}

/** Writes a request with hand-picked headers; what is `undefined` stays out. */
export function write(method: string, headers: Record<string, string | undefined>, body?: string, target = '/mcp'): string {
  const all: Record<string, string | undefined> = { Host: 'localhost', ...headers }
  if (body !== undefined) all['Content-Length'] ??= String(Buffer.byteLength(body))
  const fields = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]))
  return `${method} ${target} HTTP/1.1\r\n${fields.join('')}\r\n${body ?? ''}`
}

export const ACCEPT = 'application/json, text/event-stream'
export const MODERN = '2026-07-28'

/** A POST of a message in the stateless era, with the headers that mirror it. */
export function modern(message: Record<string, any>, headers: Record<string, string | undefined> = {}): string {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    ...message,
    params: { ...message.params, _meta: { ...envelope(), ...message.params?._meta } },
  })
  const name = message.params?.name ?? message.params?.uri
  return write(
    'POST',
    {
      Accept: ACCEPT,
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': message.method,
      'Mcp-Name': name,
      ...headers,
    },
    body,
  )
}

export function envelope(): Record<string, unknown> {
  return { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} }
}

/** A POST of any body without headers of an era. */
export function post(body: string, headers: Record<string, string | undefined> = {}): string {
  return write('POST', { Accept: ACCEPT, 'Content-Type': 'application/json', ...headers }, body)
}
