import type { HttpAnswer, HttpFetch, Outbound, Transfer } from './request.ts'

/** Makes the way out for everything that has `fetch`. */
export function createWebFetch(fetch: typeof globalThis.fetch = globalThis.fetch): HttpFetch {
  const send = (url: URL, { method, headers, body }: Outbound): Transfer => {
    const controller = new AbortController()
    const { signal } = controller
    const init: RequestInit = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) }
    const answer = fetch(url.href, init).then((response) => new WebAnswer(response))
    return { answer, cancel: () => controller.abort() }
  }
  return Object.assign(send, { close() {} })
}

class WebAnswer implements HttpAnswer {
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
    return readAll(this.#response.body)
  }
}

/** Not every runtime can iterate a stream. */
async function* readAll(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) yield piece.value
}
