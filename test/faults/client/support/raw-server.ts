import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Params, Reply } from '../../support/messages.ts'

/** One request as received. */
export interface RawRequest {
  readonly method: string
  readonly target: string
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The message in the body; an empty object when there is none. */
  readonly message: Reply & { id?: unknown; method?: string; params?: Params }
  /** The number of earlier requests. */
  readonly index: number
}

type Fields = Readonly<Record<string, string | number>>

/** Writes the response to one request in raw bytes. */
export interface RawAnswer {
  readonly socket: Socket
  /** Writes bytes unchanged. */
  write(bytes: string | Uint8Array): void
  /** Writes a complete response. */
  send(status: number, fields?: Fields, body?: string): void
  /** Writes a complete response with a message. */
  json(message: unknown, fields?: Fields): void
  /** Writes the result of the request. */
  result(result: Params, fields?: Fields): void
  /** Starts a chunked stream; without `chunked` the stream ends with the connection. */
  stream(fields?: Fields): void
  /** Writes an event with a message. */
  event(message: unknown, more?: { id?: string; retry?: number; event?: string }): void
  /** Writes bytes of the stream. */
  chunk(text: string | Uint8Array): void
  /** Ends the stream cleanly. */
  end(): void
  /** Closes the connection, even during a response. */
  close(): void
  /** Resets the connection. */
  reset(): void
}

/** A server with raw responses. */
export interface RawServer {
  readonly url: string
  readonly port: number
  readonly requests: readonly RawRequest[]
  /** The number of open connections. */
  readonly open: ReadonlySet<Socket>
  /** The number of all connections. */
  readonly made: number
  /** Returns the received messages of a method. */
  of(method: string): RawRequest[]
}

export type Handler = (request: RawRequest, answer: RawAnswer) => unknown

const REASONS: Readonly<Record<number, string>> = { 200: 'OK', 202: 'Accepted', 204: 'No Content', 404: 'Not Found' }

/** Starts a server on a free port of this machine until the test ends. `onSocket` receives each connection first. */
export async function testRaw(handle: Handler, onSocket: (socket: Socket) => boolean | void = () => {}): Promise<RawServer> {
  const open = new Set<Socket>()
  const requests: RawRequest[] = []
  let made = 0
  const server = createServer((socket) => {
    made++
    open.add(socket.setNoDelay(true))
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    if (onSocket(socket)) return
    readRequests(socket, (request) => {
      const whole = { ...request, index: requests.length }
      requests.push(whole)
      handle(whole, answerOn(socket, whole))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    requests,
    open,
    get made() {
      return made
    },
    of: (method) => requests.filter(({ message }) => message.method === method),
  }
}

function readRequests(socket: Socket, onRequest: (request: Omit<RawRequest, 'index'>) => void): void {
  let data = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    data = Buffer.concat([data, bytes])
    for (;;) {
      const end = data.indexOf('\r\n\r\n')
      if (end < 0) return
      const [line = '', ...lines] = data.subarray(0, end).toString('latin1').split('\r\n')
      const headers = Object.fromEntries(lines.map(splitField))
      const length = Number(headers['content-length'] ?? 0)
      if (data.length < end + 4 + length) return
      const body = data.subarray(end + 4, end + 4 + length).toString('utf8')
      data = data.subarray(end + 4 + length)
      const [method = '', target = ''] = line.split(' ')
      onRequest({ method, target, headers, message: body === '' ? {} : (JSON.parse(body) as Reply) })
    }
  })
}

function splitField(field: string): [name: string, value: string] {
  const colon = field.indexOf(':')
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
}

/** Formats the head of a response. */
export function head(status: number, fields: Fields = {}): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${REASONS[status] ?? 'Status'}\r\n${lines.join('')}\r\n`
}

function answerOn(socket: Socket, { message: { id } }: RawRequest): RawAnswer {
  const write = (bytes: string | Uint8Array): void => {
    if (!socket.destroyed) socket.write(bytes)
  }
  const answer: RawAnswer = {
    socket,
    write,
    send: (status, fields, body = '') => write(head(status, { 'Content-Length': Buffer.byteLength(body), ...fields }) + body),
    json: (message, fields) => answer.send(200, { 'Content-Type': 'application/json', ...fields }, JSON.stringify(message)),
    result: (result, fields) => answer.json({ jsonrpc: '2.0', id, result }, fields),
    stream: (fields) => write(head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked', ...fields })),
    event(message, { id: eventId, retry, event } = {}) {
      const lines = [
        ...(event === undefined ? [] : [`event: ${event}`]),
        ...(eventId === undefined ? [] : [`id: ${eventId}`]),
        ...(retry === undefined ? [] : [`retry: ${retry}`]),
        `data: ${typeof message === 'string' ? message : JSON.stringify(message)}`,
      ]
      answer.chunk(`${lines.join('\n')}\n\n`)
    },
    chunk(text) {
      const bytes = Buffer.from(text as string)
      write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]))
    },
    end: () => write('0\r\n\r\n'),
    close: () => socket.end(),
    reset: () => void socket.resetAndDestroy(),
  }
  return answer
}
