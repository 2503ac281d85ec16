import { type AbortSource, onAbort } from '../../../../../util/src/abort.ts'
import { concatBytes } from '../../../../../util/src/bytes.ts'
import { PortcallError } from '../../../../../util/src/errors.ts'
import type { IdleTimers } from '../../../../../util/src/idle-timers.ts'
import type { LinkedSet, LinkedSetEntry } from '../../../../../util/src/linked-set.ts'
import { parseUrl } from '../../../../../util/src/parse-url.ts'
import { ConnectionLostError, InvalidResponseError } from '../../../jsonrpc/errors.ts'
import type { ParseJson } from '../../../jsonrpc/message.ts'
import { Header } from '../common/headers.ts'
import { createSseDecoder, type ReceivedSseEvent } from '../common/sse-decode.ts'
import type { HttpClientLimits } from './limits.ts'
import type { HttpFetch, HttpFetchInit, HttpFetchResponse, HttpTransfer } from './types.ts'

/** The parts that all calls to one endpoint share. */
export interface EndpointContext {
  /** The URL of the endpoint for error messages, without its query, which may contain secrets. */
  readonly displayUrl: string
  readonly limits: HttpClientLimits
  readonly fetch: HttpFetch
  /** Receives errors that do not fail a call. */
  readonly onError: (error: unknown) => void
  readonly parseJson: ParseJson
  /** Timers of the calls that wait for the next chunk of a response. */
  readonly idleTimers: IdleTimers<HttpCall>
  /** Timers of the calls whose remaining response is discarded. */
  readonly drainTimers: IdleTimers<HttpCall>
  /** All calls in flight. */
  readonly calls: LinkedSet<HttpCall>
}

/** The request that a call sends. */
export interface HttpCallInit extends Pick<HttpFetchInit, 'method' | 'headers' | 'compress'> {
  readonly url: URL
  readonly body?: string | undefined
  readonly abortSource?: AbortSource | undefined
  /** Time allowed until the head of the response arrives, in milliseconds. */
  readonly timeoutMs?: number | undefined
}

const MAX_DRAINED_BYTES = 64 * 1024
/** The redirects that preserve method and body. */
const FOLLOWED_REDIRECTS = new Set([307, 308])
const strictDecoder = new TextDecoder('utf-8', { fatal: true })
const lenientDecoder = new TextDecoder()

/** One HTTP request and its response, from sending the request to the last byte of the response. */
export class HttpCall {
  readonly #endpoint: EndpointContext
  readonly #request: HttpCallInit
  #transfer: HttpTransfer | undefined
  #response: HttpFetchResponse | undefined
  #chunks: AsyncIterator<Uint8Array> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #cancelled: { reason: unknown } | undefined
  #entry: LinkedSetEntry | undefined
  #unsubscribe: (() => void) | undefined
  #isReleased = false
  #isSettled = false

  constructor(endpoint: EndpointContext, request: HttpCallInit) {
    this.#endpoint = endpoint
    this.#request = request
  }

  get displayUrl(): string {
    return this.#endpoint.displayUrl
  }

  get limits(): HttpClientLimits {
    return this.#endpoint.limits
  }

  /** Parses the JSON of messages. */
  get parseJson(): ParseJson {
    return this.#endpoint.parseJson
  }

  get status(): number {
    return this.#response?.status ?? 0
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  readonly header = (name: string): string | undefined => this.#response?.header(name)

  reportError(error: unknown): void {
    this.#endpoint.onError(error)
  }

  /** The target of a redirect that may be followed: one to the same origin that preserves method and body. */
  get redirect(): URL | undefined {
    const location = FOLLOWED_REDIRECTS.has(this.status) ? this.header('location') : undefined
    const { url } = this.#request
    const target = location === undefined ? undefined : parseUrl(location, url)
    return target?.origin === url.origin ? target : undefined
  }

  /** Sends the request. Resolves when the head of the response has arrived. @throws ConnectionLostError, the abort reason. */
  async start(): Promise<this> {
    const { url, method, headers, body, compress, abortSource, timeoutMs } = this.#request
    const { calls, fetch, limits, displayUrl } = this.#endpoint
    if (abortSource) this.#unsubscribe = onAbort(abortSource, (reason) => this.cancel(reason))
    this.#throwIfCancelled()
    this.#entry = calls.add(this)
    if (timeoutMs !== undefined)
      this.#timer = setTimeout(() => this.cancel(connectionLost(displayUrl, `no response within ${timeoutMs} ms`)), timeoutMs)
    try {
      this.#transfer = fetch(url, { method, headers, body, compress, connectTimeoutMs: limits.connectTimeoutMs })
      this.#response = await this.#transfer.response
      clearTimeout(this.#timer)
      return this
    } catch (error) {
      throw this.#fail(error)
    }
  }

  /**
   * Reads the whole response; synchronously if all of it has arrived, which saves promises. @throws InvalidResponseError when it is too large
   * or not UTF-8; ConnectionLostError.
   */
  text(): string | Promise<string> {
    const bytes = this.#readBuffered()
    return bytes ? this.#decode(bytes) : this.#readAll().then((all) => this.#decode(all))
  }

  /** Reads the start of the response, up to `maxErrorBytes`, and releases the call. @throws the abort reason. */
  async excerpt(): Promise<string> {
    const chunks: Uint8Array[] = []
    const { maxErrorBytes } = this.limits
    let size = 0
    try {
      for (let chunk = await this.#next(true); chunk; chunk = size < maxErrorBytes ? await this.#next(true) : undefined) {
        chunks.push(chunk)
        size += chunk.length
      }
    } catch (error) {
      // The status matters more than a body that cannot be decoded.
      if (!(error instanceof InvalidResponseError)) this.#throwIfCancelled()
    }
    this.release()
    return lenientDecoder.decode(concatBytes(chunks, size).subarray(0, maxErrorBytes))
  }

  /** Reads the response as server-sent events. @throws InvalidResponseError when an event is too large; ConnectionLostError. */
  async *events(): AsyncGenerator<ReceivedSseEvent> {
    const decoder = createSseDecoder(this.limits.maxEventBytes)
    try {
      for (let chunk = await this.#next(false); chunk; chunk = await this.#next(decoder.hasComments)) {
        for (const event of decoder.push(chunk)) {
          this.#throwIfCancelled()
          yield event
        }
      }
    } catch (error) {
      throw this.#fail(error)
    } finally {
      this.release()
    }
  }

  /** Discards the rest of the response. A short rest is read, so that the connection can be reused; otherwise the connection is closed. */
  release(): void {
    if (this.#isSettled || this.#isReleased) return
    if (this.#response?.readBuffered?.()) return this.#settle()
    const { idleTimers, drainTimers } = this.#endpoint
    this.#isReleased = true
    idleTimers.remove(this)
    drainTimers.touch(this)
    void this.#drain()
  }

  /** Closes the connection. Pending reads reject with the reason. */
  cancel(reason: unknown): void {
    if (this.#isSettled) return
    this.#cancelled = { reason }
    this.#settle()
    this.#transfer?.cancel()
    // Frees the decoder of a compressed body.
    this.#chunks?.return?.()?.catch(() => {})
  }

  /** Returns the body if all of it has arrived and none of it was read. */
  #readBuffered(): Uint8Array | undefined {
    this.#throwIfCancelled()
    const bytes = this.#chunks ? undefined : this.#response?.readBuffered?.()
    if (!bytes) return undefined
    this.#settle()
    this.#checkSize(bytes.length)
    return bytes
  }

  async #readAll(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let size = 0
    for (let chunk = await this.#next(false); chunk; chunk = await this.#next(true)) {
      size += chunk.length
      chunks.push(chunk)
      this.#checkSize(size)
    }
    return concatBytes(chunks, size)
  }

  #decode(bytes: Uint8Array): string {
    try {
      return strictDecoder.decode(bytes)
    } catch {
      const coding = this.header(Header.contentEncoding)
      const hint = coding === undefined ? '' : `. Its content coding is ${coding}`
      throw new InvalidResponseError(`${this.displayUrl} sent a response that is not UTF-8${hint}`)
    }
  }

  #checkSize(size: number): void {
    const { maxResponseBytes } = this.limits
    if (size > maxResponseBytes)
      throw this.#fail(new InvalidResponseError(`${this.displayUrl} sent a response of more than ${maxResponseBytes} bytes`))
  }

  /** Returns the next chunk of the body, or `undefined` at its end. */
  async #next(hasIdleTimeout: boolean): Promise<Uint8Array | undefined> {
    this.#throwIfCancelled()
    const { idleTimers } = this.#endpoint
    this.#chunks ??= this.#response?.body[Symbol.asyncIterator]()
    if (hasIdleTimeout) idleTimers.touch(this)
    try {
      const next = await this.#chunks?.next()
      idleTimers.remove(this)
      this.#throwIfCancelled()
      if (next?.done === false) return next.value
    } catch (error) {
      throw this.#fail(error)
    }
    this.#settle()
    return undefined
  }

  async #drain(): Promise<void> {
    this.#chunks ??= this.#response?.body[Symbol.asyncIterator]()
    try {
      for (let left = MAX_DRAINED_BYTES; left > 0; ) {
        const next = await this.#chunks?.next()
        if (!next || next.done) return this.#settle()
        left -= next.value.length
      }
    } catch {
      // The rest is unreadable.
    }
    this.cancel(connectionLost(this.displayUrl, 'the rest of the response was discarded'))
  }

  #settle(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    const { idleTimers, drainTimers } = this.#endpoint
    clearTimeout(this.#timer)
    this.#entry?.remove()
    idleTimers.remove(this)
    drainTimers.remove(this)
    this.#unsubscribe?.()
  }

  #throwIfCancelled(): void {
    if (this.#cancelled) throw this.#cancelled.reason
  }

  /** Cancels the call after an error. Returns the error to throw: the reason of an earlier cancellation takes precedence. */
  #fail(error: unknown): unknown {
    if (this.#cancelled) return this.#cancelled.reason
    const failure = error instanceof InvalidResponseError ? error : connectionLost(this.displayUrl, describe(error), error)
    this.cancel(failure)
    return failure
  }
}

export function connectionLost(displayUrl: string, reason: string, cause?: unknown): ConnectionLostError {
  return new ConnectionLostError(`The connection to ${displayUrl} was lost: ${reason}`, { cause, url: displayUrl })
}

/** Returns the platform's error code, or else the message. */
function describe(error: unknown): string {
  if (error instanceof PortcallError) return error.message
  const { code, message, cause } = (error ?? {}) as { code?: unknown; message?: unknown; cause?: { code?: unknown } }
  return String(code ?? cause?.code ?? message ?? error)
}
