import { connect, type Socket } from 'node:net'
import type { Reply } from './messages.ts'
import { until } from './time.ts'

/** One HTTP response as received. */
export interface Answer {
  status: number
  headers: { [name: string]: string }
  body: string
  /** The parsed body, when its content type is JSON. */
  json: Reply | undefined
}

/** One server-sent event. */
export interface StreamEvent {
  id?: string
  event?: string
  retry?: string
  data?: string
  json?: Reply
}

/** A TCP connection that carries hand-written bytes. */
export interface Connection {
  readonly socket: Socket
  readonly closed: boolean
  /** Everything received and not yet read. */
  readonly unread: string
  send(bytes: string | Uint8Array): void
  /** Reads the next complete response. `bodiless` for HEAD. */
  answer(options?: { bodiless?: boolean }): Promise<Answer>
  /** Reads the head of the next response, without its body. */
  head(): Promise<Answer>
  /** Reads the next event of the stream whose head was read; `undefined` at its end. */
  event(): Promise<StreamEvent | undefined>
  /** Reads all events until the end of the stream. */
  events(): Promise<StreamEvent[]>
  /** Waits until the server has closed the connection. */
  end(): Promise<void>
  destroy(): void
}

/** Connects to a port of this machine. With `reads: false` the socket is not read until `resume`. */
export function connectTo(port: number, { reads = true }: { reads?: boolean } = {}): Connection {
  const socket = connect(port, '127.0.0.1')
  let data: Buffer = Buffer.alloc(0)
  let pending = ''
  let closed = false
  let over = false
  socket.on('error', () => {})
  socket.on('close', () => (closed = true))
  socket.on('data', (chunk: Buffer) => (data = data.length === 0 ? chunk : Buffer.concat([data, chunk])))
  if (!reads) socket.pause()

  const wait = async (ready: () => boolean): Promise<void> => {
    await until(() => ready() || closed, `an answer (so far: ${JSON.stringify(data.toString('latin1').slice(0, 300))})`)
    if (!ready()) throw new Error(`the connection was closed after ${JSON.stringify(data.toString('latin1').slice(0, 300))}`)
  }
  const take = (length: number): Buffer => {
    const taken = data.subarray(0, length)
    data = data.subarray(length)
    return taken
  }
  const takeUntil = async (mark: string): Promise<string> => {
    await wait(() => data.includes(mark))
    return take(data.indexOf(mark) + mark.length).toString('latin1')
  }
  const chunk = async (): Promise<Buffer> => {
    const size = Number.parseInt(await takeUntil('\r\n'), 16)
    await wait(() => data.length >= size + 2)
    const bytes = take(size)
    take(2)
    return bytes
  }
  const readBody = async ({ headers }: Answer): Promise<string> => {
    if (headers['transfer-encoding'] === undefined) {
      const length = Number(headers['content-length'] ?? 0)
      await wait(() => data.length >= length)
      return take(length).toString('utf8')
    }
    const chunks: Buffer[] = []
    for (let next = await chunk(); next.length > 0; next = await chunk()) chunks.push(next)
    return Buffer.concat(chunks).toString('utf8')
  }

  const connection: Connection = {
    socket,
    get closed() {
      return closed
    },
    get unread() {
      return data.toString('latin1')
    },
    send: (bytes) => void socket.write(bytes),
    async head() {
      const [line = '', ...fields] = (await takeUntil('\r\n\r\n')).trim().split('\r\n')
      const headers = Object.fromEntries(fields.map(splitField))
      return { status: Number(line.split(' ')[1]), headers, body: '', json: undefined }
    },
    async answer({ bodiless = false } = {}) {
      const answer = await connection.head()
      if (bodiless) return answer
      answer.body = await readBody(answer)
      if (answer.headers['content-type'] === 'application/json') answer.json = JSON.parse(answer.body) as Reply
      return answer
    },
    async event() {
      for (;;) {
        while (!pending.includes('\n\n')) {
          if (over) return undefined
          const bytes = await chunk()
          over = bytes.length === 0
          pending += bytes.toString('utf8')
        }
        const end = pending.indexOf('\n\n')
        const event = parseEvent(pending.slice(0, end))
        pending = pending.slice(end + 2)
        if (event) return event
      }
    },
    async events() {
      const events: StreamEvent[] = []
      for (let next = await connection.event(); next; next = await connection.event()) events.push(next)
      return events
    },
    end: () => until(() => closed, 'the end of the connection'),
    destroy: () => void socket.destroy(),
  }
  return connection
}

function splitField(field: string): [name: string, value: string] {
  const colon = field.indexOf(':')
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
}

/** Parses the fields of an event; returns `undefined` for a block of comments. */
function parseEvent(block: string): StreamEvent | undefined {
  const event: StreamEvent = {}
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([a-z]+)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`
    else if (field === 'id' || field === 'event' || field === 'retry') event[field] = value
  }
  if (Object.keys(event).length === 0) return undefined
  if (event.data) event.json = JSON.parse(event.data) as Reply
  return event
}
