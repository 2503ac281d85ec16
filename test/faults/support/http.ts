import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { type Answer, type Connection, connectTo } from './connection.ts'
import {
  type Counts,
  freshId,
  type Health,
  INITIALIZE,
  MODERN,
  modernRequest,
  type Params,
  type Reply,
  request,
  textOf,
  tool,
} from './messages.ts'
import { type ProcessOptions, type ServerProcess, startProcess, untilTestEnds } from './process.ts'
import { within } from './time.ts'

/** Header fields. A list may contain a name twice; `undefined` omits a field. */
export type Fields = { [name: string]: string | undefined } | Array<[name: string, value: string]>

/** A server that is tested over HTTP in raw bytes. */
export interface HttpServer extends ServerProcess {
  readonly port: number
  connect(options?: { reads?: boolean }): Connection
  /** Sends bytes on a new connection and reads one response. */
  send(bytes: string | Uint8Array): Promise<Answer>
  /** Calls a tool in the modern era. */
  call(name: string, args?: Params, fields?: Fields): Promise<Answer>
  /** Opens a legacy session. */
  session(options?: { revision?: string; fields?: Fields; capabilities?: Params }): Promise<Session>
  /** Sends a new request and expects a correct response within two seconds. */
  healthy(): Promise<void>
  health(): Promise<Health>
  counts(): Promise<Counts>
}

/** A legacy session. */
export interface Session {
  readonly id: string
  /** The headers of all its requests. */
  readonly fields: { [name: string]: string }
  /** Formats a POST of a message. */
  post(message: unknown, fields?: Fields): string
  get(fields?: Fields): string
  /** Sends a message and reads the complete response; `json` is the last message of a stream. */
  ask(message: unknown, fields?: Fields): Promise<Answer>
  call(name: string, args?: Params): Promise<Reply | undefined>
  remove(): Promise<Answer>
}

export const ACCEPT = 'application/json, text/event-stream'

/** Starts a server over HTTP until the test ends. */
export async function testHttp(options: ProcessOptions = {}): Promise<HttpServer> {
  return untilTestEnds(await startHttp(options))
}

/** Starts a server over HTTP. */
export async function startHttp(options: ProcessOptions = {}): Promise<HttpServer> {
  const started = startProcess({ ...options, transport: 'http' })
  const lines = createInterface({ input: started.child.stdout })
  const ended = once(started.child, 'close').then(() =>
    Promise.reject(new Error(`The server did not start:\n${started.stderr()}`)),
  )
  const [url] = (await within(10_000, Promise.race([once(lines, 'line'), ended]), 'the start of the server')) as [string]
  const port = Number(new URL(url).port)
  const send = async (bytes: string | Uint8Array): Promise<Answer> => {
    const connection = connectTo(port)
    connection.send(bytes)
    try {
      return await connection.answer()
    } finally {
      connection.destroy()
    }
  }
  const call = (name: string, args?: Params, fields?: Fields): Promise<Answer> =>
    send(modern('tools/call', tool(name, args), fields))
  return {
    ...started,
    port,
    connect: (options) => connectTo(port, options),
    send,
    call,
    session: (options) => openSession(send, options),
    async healthy() {
      const text = freshId()
      const answer = await send(modern('tools/call', tool('echo', { text })))
      expect(textOf(answer.json)).toBe(text)
    },
    health: async () => JSON.parse(textOf((await call('health')).json) ?? '') as Health,
    counts: async () => JSON.parse(textOf((await call('counts')).json) ?? '') as Counts,
  }
}

async function openSession(
  send: HttpServer['send'],
  { revision = INITIALIZE.protocolVersion, fields: extra = {}, capabilities = {} }: Parameters<HttpServer['session']>[0] = {},
): Promise<Session> {
  const opened = await send(post(request('initialize', { ...INITIALIZE, protocolVersion: revision, capabilities }), extra))
  const id = opened.headers['mcp-session-id']
  if (id === undefined) throw new Error(`No session: ${opened.status} ${opened.body}`)
  const fields = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': revision, ...extra } as Session['fields']
  const ask: Session['ask'] = async (message, more) => readStream(await send(post(message, { ...fields, ...more })))
  await ask({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return {
    id,
    fields,
    post: (message, more) => post(message, { ...fields, ...more }),
    get: (more) => write('GET', { Accept: 'text/event-stream', ...fields, ...more }) as string,
    ask,
    call: async (name, args) => (await ask(request('tools/call', tool(name, args)))).json,
    remove: () => send(write('DELETE', fields)),
  }
}

/** Returns the last message of a stream that was read completely. */
function readStream(answer: Answer): Answer {
  if (!answer.headers['content-type']?.startsWith('text/event-stream')) return answer
  const data = answer.body.split('\n\n').flatMap((block) => /^data: (\{.*)$/m.exec(block)?.[1] ?? [])
  return { ...answer, json: data.length > 0 ? (JSON.parse(data.at(-1)!) as Reply) : undefined }
}

/** Formats a request with exactly these headers. */
export function write(method: string, fields: Fields = {}, body?: string | Uint8Array, target = '/mcp'): string | Buffer {
  const entries = Array.isArray(fields) ? fields : Object.entries(fields)
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  const standard: Array<[string, string]> = names.has('host') ? [] : [['Host', 'localhost']]
  if (body !== undefined && !names.has('content-length') && !names.has('transfer-encoding'))
    standard.push(['Content-Length', String(Buffer.byteLength(body))])
  const lines = [...standard, ...entries].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]))
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
  return typeof body === 'object' ? Buffer.concat([Buffer.from(head), body]) : head + (body ?? '')
}

/** Formats a POST of a text, or of a message as JSON, without the headers of an era. */
export function post(body: unknown, fields: Fields = {}): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const standard = { Accept: ACCEPT, 'Content-Type': 'application/json' }
  return write(
    'POST',
    Array.isArray(fields) ? [...Object.entries(standard), ...fields] : { ...standard, ...fields },
    text,
  ) as string
}

const NAMED: { [method: string]: string } = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

/** The headers that mirror a modern message. */
export function mirrors(method: string, params: Params = {}): { [name: string]: string } {
  const name = params[NAMED[method] ?? '']
  return {
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': method,
    ...(typeof name === 'string' && { 'Mcp-Name': encodeName(name) }),
  }
}

/** Formats a complete modern request; `fields` replace or remove its headers. */
export function modern(method: string, params: Params = {}, fields: Fields = {}, id?: unknown): string {
  const message = modernRequest(method, params, id)
  if (!Array.isArray(fields)) return post(message, { ...mirrors(method, params), ...fields })
  const named = new Set(fields.map(([name]) => name.toLowerCase()))
  const defaults = Object.entries(mirrors(method, params)).filter(([name]) => !named.has(name.toLowerCase()))
  return post(message, [...defaults, ...fields])
}

function encodeName(name: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name)
  return plain ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`
}
