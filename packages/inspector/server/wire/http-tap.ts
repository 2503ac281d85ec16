import type { HttpFetch, HttpFetchInit, HttpFetchResponse, HttpTransfer } from 'portcall/client'
import { createSseDecoder } from '../../../portcall/src/transports/http/common/sse-decode.ts'
import type { HttpEntry, MessageStream, RuleViolation } from '../protocol/timeline.ts'
import type { Timeline } from '../timeline/timeline.ts'
import { callScope } from './call-scope.ts'
import { maskValues } from './mask.ts'
import type { MessageRecorder } from './messages.ts'

export interface HttpTapOptions {
  readonly serverId: string
  readonly timeline: Timeline
  readonly messages: MessageRecorder
  /** Checks the head of a response. */
  readonly checkHead: (head: TappedResponseHead) => readonly RuleViolation[]
}

/** The head of a response, and the request that it answers. */
export interface TappedResponseHead {
  readonly method: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string | undefined
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

const MAX_BODY_BYTES = 16 * 1024 * 1024
const MAX_EVENT_BYTES = 4 * 1024 * 1024
const MAX_EXCERPT = 4000

let lastHttpId = 0

/** Numbers HTTP exchanges, across all servers. */
export const nextHttpId = (): number => ++lastHttpId

/** Wraps an HTTP client, so that every exchange and every message in it is recorded as it was sent. */
export function tapFetch(fetch: HttpFetch, options: HttpTapOptions): HttpFetch {
  const send = (url: URL, init: HttpFetchInit): HttpTransfer => {
    const exchange = recordRequest(url, init, options)
    const transfer = fetch(url, init)
    const response = transfer.response.then(
      (head) => tapResponse(head, exchange),
      (error: unknown) => {
        exchange.fail(error)
        throw error
      },
    )
    return {
      response,
      cancel() {
        exchange.cancel()
        transfer.cancel()
      },
    }
  }
  return Object.assign(send, { close: () => fetch.close() })
}

/** One HTTP exchange while it is being recorded. */
interface ExchangeRecorder {
  head(status: number, headers: Readonly<Record<string, string>>): void
  chunk(bytes: Uint8Array): void
  end(): void
  fail(error: unknown): void
  cancel(): void
}

function recordRequest(url: URL, init: HttpFetchInit, options: HttpTapOptions): ExchangeRecorder {
  const { serverId, timeline, messages } = options
  const httpId = nextHttpId()
  const startedAt = performance.now()
  const operationId = callScope.getStore()?.operationId
  const id = timeline.add(
    {
      type: 'http',
      serverId,
      time: performance.timeOrigin + startedAt,
      ...(operationId !== undefined && { operationId }),
      httpId,
      purpose: 'mcp',
      method: init.method,
      url: url.href,
      requestHeaders: maskValues(init.headers),
      state: 'pending',
    },
    { headers: { request: init.headers } },
  )
  if (init.body !== undefined) messages.record({ direction: 'out', text: init.body, stream: 'body', httpId })
  return createExchangeRecorder({ id, httpId, startedAt, init }, options)
}

interface Exchange {
  readonly id: number
  readonly httpId: number
  readonly startedAt: number
  readonly init: HttpFetchInit
}

function createExchangeRecorder({ id, httpId, startedAt, init }: Exchange, options: HttpTapOptions): ExchangeRecorder {
  const { timeline, messages, checkHead } = options
  const elapsed = (): number => performance.now() - startedAt
  let isEnded = false
  let bytes = 0
  let status = 0
  let body: BodyReader | undefined
  const finish = (change: Partial<HttpEntry>): void => {
    if (isEnded) return
    isEnded = true
    timeline.update(id, { ...change, responseBytes: bytes, durationMs: elapsed() })
  }
  const endRequest = (state: 'failed' | 'cancelled'): void => messages.endRequests(state, (request) => request.httpId === httpId)
  return {
    head(received, headers) {
      status = received
      const violations = checkHead({ method: init.method, requestHeaders: init.headers, requestBody: init.body, status, headers })
      timeline.update(
        id,
        {
          status,
          responseHeaders: maskValues(headers),
          state: 'open',
          headMs: elapsed(),
          ...(violations.length > 0 && { violations }),
        },
        { headers: { request: init.headers, response: headers } },
      )
      body = createBodyReader(headers['content-type'] ?? '', {
        onMessage: (text, stream) => void messages.record({ direction: 'in', text, stream, httpId }),
        onText: (text) => timeline.update(id, { bodyText: text }),
        stream: init.method === 'GET' ? 'get-stream' : 'post-stream',
        isOk: status >= 200 && status < 300,
      })
    },
    chunk(chunk) {
      bytes += chunk.length
      body?.push(chunk)
    },
    end() {
      if (!isEnded) body?.end()
      finish({ state: 'done' })
      if (status >= 400) endRequest('failed')
    },
    fail(error) {
      finish({ state: 'failed', failure: describeWireError(error) })
      endRequest('failed')
    },
    cancel() {
      if (!isEnded) body?.end()
      finish({ state: 'cancelled' })
      endRequest('cancelled')
    },
  }
}

/** Finds the messages in the body of a response. */
interface BodyReader {
  push(chunk: Uint8Array): void
  end(): void
}

interface BodyReaderOptions {
  readonly onMessage: (text: string, stream: MessageStream) => void
  /** Receives the start of a body that holds no message. */
  readonly onText: (text: string) => void
  readonly stream: MessageStream
  readonly isOk: boolean
}

function createBodyReader(contentType: string, options: BodyReaderOptions): BodyReader {
  return /^text\/event-stream\b/i.test(contentType) ? createEventReader(options) : createTextReader(contentType, options)
}

function createEventReader({ onMessage, stream }: BodyReaderOptions): BodyReader {
  let decoder: ReturnType<typeof createSseDecoder> | undefined = createSseDecoder(MAX_EVENT_BYTES)
  return {
    push(chunk) {
      try {
        for (const { data, event } of decoder?.push(chunk) ?? []) if (data && event !== 'endpoint') onMessage(data, stream)
      } catch {
        decoder = undefined
      }
    },
    end() {},
  }
}

function createTextReader(contentType: string, { onMessage, onText, isOk }: BodyReaderOptions): BodyReader {
  const chunks: Uint8Array[] = []
  let size = 0
  let isDone = false
  return {
    push(chunk) {
      if (size < MAX_BODY_BYTES) chunks.push(new Uint8Array(chunk))
      size += chunk.length
    },
    end() {
      if (isDone || size === 0) return
      isDone = true
      const text = new TextDecoder().decode(Buffer.concat(chunks))
      if (/\bjson\b/i.test(contentType) && (isOk || /"jsonrpc"/.test(text))) onMessage(text, 'body')
      else onText(text.slice(0, MAX_EXCERPT))
    },
  }
}

function tapResponse(response: HttpFetchResponse, exchange: ExchangeRecorder): HttpFetchResponse {
  exchange.head(response.status, headersOf(response))
  const tapped: HttpFetchResponse = {
    status: response.status,
    header: (name) => response.header(name),
    headers: () => headersOf(response),
    body: { [Symbol.asyncIterator]: () => tapIterator(response.body[Symbol.asyncIterator](), exchange) },
  }
  if (!response.readBuffered) return tapped
  const readBuffered = (): Uint8Array | undefined => {
    const bytes = response.readBuffered?.()
    if (!bytes) return undefined
    exchange.chunk(bytes)
    exchange.end()
    return bytes
  }
  return { ...tapped, readBuffered }
}

function tapIterator(chunks: AsyncIterator<Uint8Array>, exchange: ExchangeRecorder): AsyncIterator<Uint8Array> {
  return {
    async next() {
      try {
        const next = await chunks.next()
        if (next.done) exchange.end()
        else exchange.chunk(next.value)
        return next
      } catch (error) {
        exchange.fail(error)
        throw error
      }
    },
  }
}

const COMMON_HEADERS = [
  'content-type',
  'mcp-session-id',
  'mcp-protocol-version',
  'www-authenticate',
  'location',
  'date',
  'server',
]

/** All headers, or those with a common name if the platform cannot list them. */
function headersOf(response: HttpFetchResponse): Readonly<Record<string, string>> {
  if (response.headers) return response.headers()
  const known = COMMON_HEADERS.map((name) => [name, response.header(name)] as const)
  return Object.fromEntries(known.filter((pair): pair is readonly [string, string] => pair[1] !== undefined))
}

/** Returns the message of an error, with that of its cause. */
export function describeWireError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && !error.message.includes(code) ? `${error.message} (${code})` : error.message
}
