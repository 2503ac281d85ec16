import { ACCEPT_ENCODING, isCoded } from '../../../net/content-coding.ts'
import { Header } from '../common/headers.ts'
import { isEventStream } from '../common/media-types.ts'
import type { HttpFetchInit, HttpFetchResponse } from './types.ts'

/**
 * Returns the codings to ask for. Only results that may be large and are of no use before their end are compressed: a server, or a proxy in
 * front of it, often holds the events of a compressed stream back until a block is full.
 */
export function acceptedCodings({ compress }: Pick<HttpFetchInit, 'compress'>): string {
  return compress ? ACCEPT_ENCODING : 'identity'
}

/** Returns the response, or if its body is compressed, one whose body is decoded while it arrives. */
export function decodeResponse(response: HttpFetchResponse, url: URL): HttpFetchResponse {
  const contentEncoding = response.header(Header.contentEncoding)
  return isCoded(contentEncoding) ? new DecodedResponse(response, contentEncoding, url) : response
}

class DecodedResponse implements HttpFetchResponse {
  readonly status: number
  readonly #response: HttpFetchResponse
  readonly #contentEncoding: string
  readonly #url: URL

  constructor(response: HttpFetchResponse, contentEncoding: string, url: URL) {
    this.status = response.status
    this.#response = response
    this.#contentEncoding = contentEncoding
    this.#url = url
  }

  get body(): AsyncIterable<Uint8Array> {
    return this.#decode()
  }

  header(name: string): string | undefined {
    return this.#response.header(name)
  }

  headers(): Readonly<Record<string, string>> {
    return this.#response.headers?.() ?? {}
  }

  /** The decoders are loaded on demand, because most servers compress nothing. */
  async *#decode(): AsyncGenerator<Uint8Array> {
    const { decodeBody } = await import('../../../net/decode-body.ts')
    yield* decodeBody({
      body: this.#response.body,
      contentEncoding: this.#contentEncoding,
      isStream: isEventStream(this.header(Header.contentType)),
      displayUrl: this.#url.origin + this.#url.pathname,
    })
  }
}
