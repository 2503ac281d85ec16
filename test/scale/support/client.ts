import { setTimeout as sleep } from 'node:timers/promises'

/** The messages that a client received for one call, in order. */
export interface CallRecord {
  readonly mark: string
  readonly progress: number[]
  /** The text of the result, or the error. */
  end: string
  /** How often the client resumed the stream. */
  resumed: number
}

interface Event {
  id?: string
  message?: any
}

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const DEADLINE_MS = 40_000
const RETRY_MS = 100

/** Reads the events of a stream until it ends or the connection breaks. */
async function* readEvents(response: Response): AsyncGenerator<Event> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const [id, data] = [field('id'), field('data')]
      yield { ...(id && { id }), ...(data && { message: JSON.parse(data) }) }
    }
  }
}

/** A client of 2025-11-25 that resumes its streams until they are complete. */
export class LegacyClient {
  /** The notifications on the standalone stream: the URI if there is one, else the method. */
  readonly received: string[] = []
  /** Messages that belong to another call. */
  readonly misrouted: unknown[] = []
  readonly url: string
  readonly name: string
  #session = ''
  #lastId = 0
  #closed = new AbortController()

  constructor(url: string, name: string) {
    this.url = url
    this.name = name
  }

  async open(): Promise<void> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'scale', version: '1' },
    }
    const response = await this.#post({ id: 0, method: 'initialize', params })
    this.#session = response.headers.get('mcp-session-id') ?? ''
    await response.text()
    await (await this.#post({ method: 'notifications/initialized' })).text()
  }

  /** Opens a standalone stream, reopens it whenever it ends, and records its notifications. */
  async listen(): Promise<void> {
    let lastEventId: string | undefined
    let resolveOpen: (() => void) | undefined
    const open = new Promise<void>((resolve) => (resolveOpen = resolve))
    void (async () => {
      while (!this.#closed.signal.aborted) {
        try {
          const response = await this.#get(lastEventId)
          if (response.status === 200) {
            for await (const { id, message } of readEvents(response)) {
              resolveOpen?.()
              lastEventId = id ?? lastEventId
              if (message) this.received.push(message.params?.uri ?? message.method)
            }
          } else {
            await response.text()
            if (response.status === 404) lastEventId = undefined
          }
        } catch {}
        await sleep(RETRY_MS)
      }
    })()
    await open
  }

  async request(method: string, params: object): Promise<any> {
    const response = await this.#post({ id: ++this.#lastId, method, params })
    return this.#readJson(response)
  }

  /** Calls a tool, disconnects its stream after `cutAfter` events, and resumes it. */
  async call(name: string, args: { mark: string; [name: string]: unknown }, cutAfter = Infinity): Promise<CallRecord> {
    const id = ++this.#lastId
    const record: CallRecord = { mark: args.mark, progress: [], end: '', resumed: 0 }
    const deadline = Date.now() + DEADLINE_MS
    let lastEventId: string | undefined
    let remaining = cutAfter
    let response: Response | undefined = await this.#post({
      id,
      method: 'tools/call',
      params: { name, arguments: args, _meta: { progressToken: id } },
    })
    for (;;) {
      if (response?.status === 200 && response.headers.get('content-type') === 'application/json') {
        readOutcome(record, id, await response.json())
        return record
      }
      try {
        if (response?.status === 200)
          for await (const event of readEvents(response)) {
            lastEventId = event.id ?? lastEventId
            if (event.message?.method === 'elicitation/create') void this.#accept(event.message)
            else if (event.message?.method === 'notifications/progress') record.progress.push(event.message.params.progress)
            else if (event.message && !readOutcome(record, id, event.message)) this.misrouted.push(event.message)
            if (--remaining === 0) break
          }
        else if (response?.status === 404) record.end = `lost ${await response.text()}`
        else await response?.text()
      } catch {}
      if (record.end) return record
      if (lastEventId === undefined) throw new Error(`${args.mark}: ${response?.status} without an event id`)
      if (Date.now() > deadline) throw new Error(`${args.mark} timed out`)
      remaining = Infinity
      record.resumed++
      await sleep(RETRY_MS)
      response = await this.#get(lastEventId).catch(() => undefined)
    }
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await fetch(this.url, { method: 'DELETE', headers: { 'mcp-session-id': this.#session } }).then((response) => response.text())
  }

  /** Accepts an elicitation. Sends it again when the connection breaks, since a server ignores a second response. */
  async #accept({ id, params }: any): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS
    for (;;) {
      const result = { action: 'accept', content: { name: `for ${params.message}` } }
      const response = await this.#post({ id, result }).catch(() => undefined)
      if (response || Date.now() > deadline) return void (await response?.text().catch(() => {}))
      await sleep(RETRY_MS)
    }
  }

  /** Sends a message. Retries while the server responds with 503. */
  async #post(message: object): Promise<Response> {
    const deadline = Date.now() + DEADLINE_MS
    for (;;) {
      const headers = {
        ...ACCEPT,
        ...(this.#session && { 'mcp-session-id': this.#session, 'mcp-protocol-version': '2025-11-25' }),
      }
      const response = await fetch(this.url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
      if (response.status !== 503 || Date.now() > deadline) return response
      await response.text()
      await sleep(RETRY_MS)
    }
  }

  #get(lastEventId: string | undefined): Promise<Response> {
    const headers = { accept: 'text/event-stream', 'mcp-session-id': this.#session, 'mcp-protocol-version': '2025-11-25' }
    return fetch(this.url, {
      headers: { ...headers, ...(lastEventId && { 'last-event-id': lastEventId }) },
      signal: this.#closed.signal,
    })
  }

  async #readJson(response: Response): Promise<any> {
    if (response.headers.get('content-type') === 'application/json') return response.json()
    for await (const { message } of readEvents(response)) if (message && 'id' in message && !message.method) return message
    throw new Error('no response')
  }
}

/** Records the outcome of a call. Returns whether the message is its response. */
function readOutcome(record: CallRecord, id: number, message: any): boolean {
  if (message.id !== id || message.method) return false
  record.end = message.error ? `error ${message.error.message}` : message.result.content[0].text
  return true
}

const MODERN = '2026-07-28'

/** Calls `add` as a modern client. Returns the text of the result. */
export async function modernAdd(url: string, a: number, b: number): Promise<string> {
  const _meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} }
  const headers = { ...ACCEPT, 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'add' }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: a,
    method: 'tools/call',
    params: { name: 'add', arguments: { a, b }, _meta },
  })
  const response = await fetch(url, { method: 'POST', headers, body })
  const message: any = await response.json().catch(() => ({}))
  return message.result?.content[0].text ?? `status ${response.status}`
}
