import { InvalidResponseError } from '../../../jsonrpc/errors.ts'
import { Header } from '../common/headers.ts'
import type { FetchResponse, HttpFetch, HttpFetchInit, HttpFetchResponse, HttpTransfer } from './types.ts'

/** Creates an HTTP client on top of the platform's `fetch`. */
export function createWebFetch(fetch: typeof globalThis.fetch = globalThis.fetch): HttpFetch {
  const send = (url: URL, { method, headers, body }: HttpFetchInit): HttpTransfer => {
    const controller = new AbortController()
    const { signal } = controller
    const init: RequestInit = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) }
    const response = fetch(url.href, init).then((webResponse) => new WebFetchResponse(webResponse, url))
    return { response, cancel: () => controller.abort() }
  }
  return Object.assign(send, { close() {} })
}

/** A response of `fetch`. */
export class WebFetchResponse implements HttpFetchResponse {
  readonly status: number
  readonly #response: FetchResponse
  readonly #url: URL

  constructor(response: FetchResponse, url: URL) {
    this.status = response.status
    this.#response = response
    this.#url = url
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined
  }

  get body(): AsyncIterable<Uint8Array> {
    return this.#read()
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      yield* readChunks(this.#response.body)
    } catch (error) {
      const coding = this.header(Header.contentEncoding)
      if (coding === undefined || !isDecodingError(error)) throw error
      const { origin, pathname } = this.#url
      const message = `${origin}${pathname} sent a response that is not valid in its content coding ${coding}`
      throw new InvalidResponseError(message, { cause: error })
    }
  }
}

/** Iterates over a body. Not every runtime has an async iterator on `ReadableStream`, and node-fetch has streams of Node. */
async function* readChunks(body: unknown): AsyncGenerator<Uint8Array> {
  if (isReadableStream(body)) {
    const reader = body.getReader()
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value
  } else if (body) yield* body as AsyncIterable<Uint8Array>
}

function isReadableStream(body: unknown): body is ReadableStream<Uint8Array> {
  return typeof (body as { getReader?: unknown } | null | undefined)?.getReader === 'function'
}

/** The codes of zlib, which the errors of `fetch` on Node have as their cause. */
const DECODING_ERROR = /^(Z_|ERR_.*(FORMAT|BROTLI|ZLIB|ZSTD))/

function isDecodingError(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } }
  return [code, cause?.code].some((one) => typeof one === 'string' && DECODING_ERROR.test(one))
}
