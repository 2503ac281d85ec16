import { Buffer } from 'node:buffer'
import type { ConnectOptions } from 'portcall/client'
import { isObject, type JsonObject } from 'portcall/jsonrpc'

type HttpFetch = NonNullable<ConnectOptions['fetch']>

/** A request that a client has sent, as text to send again. Everything in it is ASCII. */
export interface RecordedRequest {
  readonly url: URL
  /** True if it belongs to a session. */
  readonly hasSession: boolean
  /** The text before and after the id of the message. Ids have nine digits. */
  readonly parts: readonly [before: string, after: string]
}

/** Sends the requests of a client, and records one of them. */
export interface RequestRecorder {
  readonly fetch: HttpFetch
  /** Records the last request of a method from now on. */
  start(method: string): void
  recorded(): RecordedRequest | undefined
}

const ID = 123_456_789
const NON_ASCII = /[\u0080-\uffff]/g

export function createRequestRecorder(): RequestRecorder {
  let recordedMethod: string | undefined
  let last: RecordedRequest | undefined
  const send = (url: URL, init: Parameters<HttpFetch>[1]): ReturnType<HttpFetch> => {
    const message: unknown = init.method === 'POST' && init.body ? JSON.parse(init.body) : undefined
    if (isObject(message) && message.method === recordedMethod) last = toRecorded(url, init.headers, message)
    const aborter = new AbortController()
    const { method: httpMethod, headers, body } = init
    const sent = fetch(url, { method: httpMethod, headers, body: body ?? null, redirect: 'manual', signal: aborter.signal })
    const response = sent.then((received) => ({
      status: received.status,
      header: (name: string) => received.headers.get(name) ?? undefined,
      body: received.body ?? emptyBody(),
    }))
    return { response, cancel: () => aborter.abort() }
  }
  return {
    fetch: Object.assign(send, { close() {} }),
    start(method) {
      recordedMethod = method
    },
    recorded: () => last,
  }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

function toRecorded(url: URL, headers: Readonly<Record<string, string>>, message: JsonObject): RecordedRequest {
  const body = JSON.stringify({ ...message, id: ID }).replace(NON_ASCII, toEscape)
  const lines = Object.entries({
    host: url.host,
    'user-agent': 'portcall-bench',
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
  const at = text.lastIndexOf(`"id":${ID}`) + '"id":'.length
  const parts = [text.slice(0, at), text.slice(at + String(ID).length)] as const
  return { url, hasSession: headers['mcp-session-id'] !== undefined, parts }
}

const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
