import type { HttpFetch, HttpFetchInit, HttpFetchResponse, HttpTransfer } from './types.ts'

/** Creates an HTTP client on top of the platform's `fetch`. */
export function createWebFetch(fetch: typeof globalThis.fetch = globalThis.fetch): HttpFetch {
  const send = (url: URL, { method, headers, body }: HttpFetchInit): HttpTransfer => {
    const controller = new AbortController()
    const { signal } = controller
    const init: RequestInit = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) }
    const response = fetch(url.href, init).then((webResponse) => new WebFetchResponse(webResponse))
    return { response, cancel: () => controller.abort() }
  }
  return Object.assign(send, { close() {} })
}

class WebFetchResponse implements HttpFetchResponse {
  readonly status: number
  #response: Response

  constructor(response: Response) {
    this.status = response.status
    this.#response = response
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined
  }

  get body(): AsyncIterable<Uint8Array> {
    return readChunks(this.#response.body)
  }
}

/** Iterates over a stream. Not every runtime has an async iterator on `ReadableStream`. */
async function* readChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) yield chunk.value
}
