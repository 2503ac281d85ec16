import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject, RequestId } from 'portcall/jsonrpc'
import type { HttpEndpoint } from './http-endpoints.ts'
import { readEvents } from './sse.ts'
import type { Receive, Wire } from './wire.ts'

const ACCEPT = 'application/json, text/event-stream'

/** Opens a wire over Streamable HTTP. It stores the session id and resumes streams that end early. */
export function httpWire({ url, fetch, close }: HttpEndpoint, receive: Receive): Wire {
  const hangUp = new AbortController()
  let session: Record<string, string> = {}

  const resume = async (stream: Stream, headers: Record<string, string>): Promise<void> => {
    await sleep(stream.retryDelayMs)
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream', ...session, ...headers, 'last-event-id': stream.lastEventId ?? '' },
      signal: hangUp.signal,
    })
    await follow(response, stream, headers)
  }

  const follow = async (response: Response, stream: Stream, headers: Record<string, string>): Promise<void> => {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return readJson(response, stream)
    await readStream(response, stream)
    if (!stream.answered && stream.lastEventId) await resume(stream, headers)
  }

  const post: Wire['send'] = async (message, { headers = {}, signal } = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: ACCEPT, ...session, ...headers },
      body: JSON.stringify(message),
      signal: signal ? AbortSignal.any([signal, hangUp.signal]) : hangUp.signal,
    })
    const id = response.headers.get('mcp-session-id')
    if (id) session = { 'mcp-session-id': id }
    const about = 'id' in message && 'method' in message ? message.id : undefined
    await follow(response, { about, receive, answered: about === undefined, retryDelayMs: 0 }, headers)
    return response
  }

  return {
    send: (message, options) => post(message, options).catch(unlessHungUp(hangUp.signal)),
    async listen(headers) {
      const response = await fetch(url, {
        headers: { accept: 'text/event-stream', ...session, ...headers },
        signal: hangUp.signal,
      })
      if (!response.ok) throw new Error(`The GET stream was refused with ${response.status}`)
      readStream(response, { receive, answered: true, retryDelayMs: 0 }).catch(() => {})
    },
    async close() {
      hangUp.abort()
      await close()
    },
  }
}

/** Ignores the failure of exchanges that were pending when the wire was closed. */
export function unlessHungUp(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error
    return undefined
  }
}

interface Stream {
  about?: RequestId | undefined
  receive: Receive
  answered: boolean
  retryDelayMs: number
  lastEventId?: string
}

async function readJson(response: Response, stream: Stream): Promise<void> {
  const text = await response.text()
  if (text) deliver(JSON.parse(text), stream)
}

async function readStream(response: Response, stream: Stream): Promise<void> {
  if (!response.body) return
  for await (const { id, data, retry } of readEvents(response.body)) {
    if (id !== undefined) stream.lastEventId = id
    if (retry !== undefined) stream.retryDelayMs = retry
    if (data) deliver(JSON.parse(data), stream)
  }
}

function deliver(value: JsonObject | JsonObject[], stream: Stream): void {
  for (const message of Array.isArray(value) ? value : [value]) {
    if (!('method' in message) && message.id === stream.about) stream.answered = true
    stream.receive(message, stream.about)
  }
}
