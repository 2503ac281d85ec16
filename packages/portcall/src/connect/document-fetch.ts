import type { CustomFetch } from '../transports/http/client/types.ts'
import { checkFetch } from './check-fetch.ts'

const CONNECT_TIMEOUT_MS = 5000
/** The headers of a document that matter. */
const HEADERS: readonly string[] = ['content-type', 'cache-control', 'etag', 'location']
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/** Makes the option `fetch` look like that of the platform, as far as GET requests for documents are concerned. */
export function documentFetch(custom: CustomFetch): typeof globalThis.fetch {
  const send = checkFetch(custom)
  return async (input, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers))
    const transfer = send(new URL(String(input)), { method: 'GET', headers, connectTimeoutMs: CONNECT_TIMEOUT_MS })
    init.signal?.addEventListener('abort', () => transfer.cancel(), { once: true })
    const response = await transfer.response
    const pairs = HEADERS.map((name): [string, string | undefined] => [name, response.header(name)])
    const known = pairs.filter((pair): pair is [string, string] => pair[1] !== undefined)
    const { status, body } = response
    return new Response(NO_BODY.has(status) ? null : streamOf(body), { status, headers: known })
  }
}

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
