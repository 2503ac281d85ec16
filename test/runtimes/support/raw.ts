import { once } from 'node:events'
import { request } from 'node:http'

type Json = { [key: string]: any }

/** A response: its status, its session, and its messages in order, from JSON or a stream. */
export interface Answer {
  status: number
  session: string | null
  messages: Json[]
}

/** Yields the messages of a stream. */
export interface Stream {
  next(): Promise<Json>
  close(): Promise<void>
}

const MODERN = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const NAMES: Json = { 'tools/call': 'name', 'resources/read': 'uri' }
let lastId = 0

/** Returns the fetch arguments of a request of the newest revision. */
export function modern(method: string, params: Json = {}, meta: Json = {}): RequestInit {
  const name = params[NAMES[method]]
  const headers = { ...JSON_HEADERS, 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(name && { 'mcp-name': name }) }
  return { method: 'POST', headers, body: text(++lastId, { method, params: { ...params, _meta: { ...META, ...meta } } }) }
}

/** Returns the fetch arguments of a message of a legacy client, with or without a session. Without `method` the message is a response. */
export function legacy(session: string | null, message: Json): RequestInit {
  const version = message.method !== 'initialize' && { 'mcp-protocol-version': '2025-11-25' }
  const headers = { ...JSON_HEADERS, ...version, ...(session && { 'mcp-session-id': session }) }
  const id = 'id' in message || message.method?.startsWith('notifications/') ? message.id : ++lastId
  return { method: 'POST', headers, body: text(id, message) }
}

const text = (id: unknown, message: Json): string => JSON.stringify({ jsonrpc: '2.0', id, ...message })

/** Sends a request and reads the complete response. */
export async function send(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init)
  const body = await response.text()
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream')
  const messages = streamed ? events(body) : body === '' ? [] : [JSON.parse(body)]
  return { status: response.status, session: response.headers.get('mcp-session-id'), messages }
}

/** Sends a request and reads its response as it arrives. */
export async function listen(url: string, init: RequestInit): Promise<Stream> {
  const response = await fetch(url, init)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let pending = ''
  return {
    async next() {
      for (;;) {
        const end = pending.indexOf('\n\n')
        const [message] = end < 0 ? [] : events(pending.slice(0, end))
        if (end >= 0) pending = pending.slice(end + 2)
        if (message) return message
        if (end >= 0) continue
        const { done, value } = await reader.read()
        if (done) throw new Error('The stream is over')
        pending += value
      }
    },
    close: () => reader.cancel(),
  }
}

function events(body: string): Json[] {
  return [...body.matchAll(/^data: ?(\S.*)$/gm)].map(([, data = '']) => JSON.parse(data))
}

/** Returns the status of a request with another Host header, which `fetch` cannot send. */
export async function statusFor(url: string, host: string): Promise<number | undefined> {
  const { method, headers, body } = modern('tools/list')
  const sent = request(url, { method, headers: { ...(headers as Record<string, string>), host } }).end(body)
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode
}
