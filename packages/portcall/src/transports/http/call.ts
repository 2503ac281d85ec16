import { ConnectionLost, UnreadableAnswer } from '../../jsonrpc/errors.ts'
import { type Caller, heed } from '../../jsonrpc/exchange.ts'
import type { Place, Ring } from '../../jsonrpc/ring.ts'
import type { HttpClientLimits } from './client-limits.ts'
import type { Expiry } from './expiry.ts'
import type { HttpAnswer, HttpFetch, Outbound, Transfer } from './request.ts'
import { createEventReader, type ReceivedEvent } from './sse-decode.ts'

/** What all calls to one endpoint share. */
export interface Site {
  /** How the endpoint is called in messages: without its query, which may hold secrets. */
  readonly where: string
  readonly limits: HttpClientLimits
  readonly fetch: HttpFetch
  /** Gets what went wrong without failing a call. */
  readonly onError: (error: unknown) => void
  /** Those who wait for the next piece of an answer. */
  readonly idle: Expiry<Call>
  /** Those whose rest is thrown away. */
  readonly leftovers: Expiry<Call>
  /** All that are under way. */
  readonly calls: Ring<Call>
}

/** What one call is about to send. */
export interface CallRequest extends Pick<Outbound, 'method' | 'headers'> {
  readonly url: URL
  readonly body?: string | undefined
  readonly caller?: Caller | undefined
  readonly withinMs?: number | undefined
}

const MAX_LEFTOVER_BYTES = 64 * 1024
const FOLLOWED = new Set([307, 308])
const decoder = new TextDecoder('utf-8', { fatal: true })
const lenient = new TextDecoder()

/** One HTTP request and its answer, from the first byte out to the last byte in. */
export class Call {
  #site: Site
  #request: CallRequest
  #transfer: Transfer | undefined
  #answer: HttpAnswer | undefined
  #pieces: AsyncIterator<Uint8Array> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #cancelled: { reason: unknown } | undefined
  #place: Place | undefined
  #ignore: (() => void) | undefined
  #released = false
  #over = false

  constructor(site: Site, request: CallRequest) {
    this.#site = site
    this.#request = request
  }

  get where(): string {
    return this.#site.where
  }

  get limits(): HttpClientLimits {
    return this.#site.limits
  }

  get status(): number {
    return this.#answer?.status ?? 0
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  readonly header = (name: string): string | undefined => this.#answer?.header(name)

  report(error: unknown): void {
    this.#site.onError(error)
  }

  /** Where a redirect leads that may be followed: to the same origin, with the same method and body. */
  get redirection(): URL | undefined {
    const location = FOLLOWED.has(this.status) ? this.header('location') : undefined
    const { url } = this.#request
    const target = location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : undefined
    return target?.origin === url.origin ? target : undefined
  }

  /** Sends the request; resolves when the head of the answer has come. @throws ConnectionLost, the reason of the signal. */
  async start(): Promise<this> {
    const { url, method, headers, body, caller, withinMs } = this.#request
    const { calls, fetch, limits, where } = this.#site
    if (caller) this.#ignore = heed(caller, (reason) => this.cancel(reason))
    this.#place = calls.add(this)
    if (withinMs !== undefined)
      this.#timer = setTimeout(() => this.cancel(lost(where, `no answer came within ${withinMs} ms`)), withinMs)
    try {
      this.#transfer = fetch(url, { method, headers, body, connectMs: limits.connectMs })
      this.#answer = await this.#transfer.answer
      clearTimeout(this.#timer)
      return this
    } catch (error) {
      throw this.#fault(error)
    }
  }

  /** Reads an answer in one piece. @throws UnreadableAnswer when it is too large or not UTF-8, ConnectionLost. */
  async text(): Promise<string> {
    const bytes = this.#whole() ?? (await this.#collect())
    try {
      return decoder.decode(bytes)
    } catch {
      throw new UnreadableAnswer(`${this.where} answered with something that is not UTF-8`)
    }
  }

  /** Reads how an answer begins, whatever it is. @throws the reason of the signal. */
  async excerpt(): Promise<string> {
    const pieces: Uint8Array[] = []
    const { maxErrorBytes } = this.limits
    let size = 0
    try {
      for (let piece = await this.#next(true); piece; piece = size < maxErrorBytes ? await this.#next(true) : undefined) {
        pieces.push(piece)
        size += piece.length
      }
    } catch {
      if (this.#cancelled) throw this.#cancelled.reason
    }
    this.release()
    return lenient.decode(join(pieces, size).subarray(0, maxErrorBytes))
  }

  /** Reads an answer as events, until it ends or nobody wants more. @throws UnreadableAnswer when an event is too large, ConnectionLost. */
  async *events(): AsyncGenerator<ReceivedEvent> {
    const reader = createEventReader(this.limits.maxEventBytes)
    try {
      for (let piece = await this.#next(false); piece; piece = await this.#next(reader.keptAlive)) {
        for (const event of reader.push(piece)) {
          this.#check()
          yield event
        }
      }
    } catch (error) {
      throw this.#fault(error)
    } finally {
      this.release()
    }
  }

  /** Nothing more is wanted: a short rest may come, so that the connection can be used again; else it is closed. */
  release(): void {
    if (this.#over || this.#released) return
    if (this.#answer?.whole?.()) return this.#settle()
    const { idle, leftovers } = this.#site
    this.#released = true
    idle.forget(this)
    leftovers.touch(this)
    void this.#drain()
  }

  /** Gives everything up; whoever waits gets the reason. */
  cancel(reason: unknown): void {
    if (this.#over) return
    this.#cancelled = { reason }
    this.#settle()
    this.#transfer?.cancel()
  }

  /** The body, when all of it is there and nothing of it was read yet. */
  #whole(): Uint8Array | undefined {
    this.#check()
    const bytes = this.#pieces ? undefined : this.#answer?.whole?.()
    if (!bytes) return undefined
    this.#settle()
    this.#limit(bytes.length)
    return bytes
  }

  async #collect(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = []
    let size = 0
    for (let piece = await this.#next(false); piece; piece = await this.#next(true)) {
      size += piece.length
      pieces.push(piece)
      this.#limit(size)
    }
    return join(pieces, size)
  }

  /** @throws UnreadableAnswer when an answer in one piece is larger than it may be. */
  #limit(size: number): void {
    const { maxResponseBytes } = this.limits
    if (size > maxResponseBytes)
      throw this.#fault(new UnreadableAnswer(`${this.where} answered with more than ${maxResponseBytes} bytes`))
  }

  /** The next piece of the body; when it is waited for under watch, a pause that is too long ends the call. */
  async #next(watched: boolean): Promise<Uint8Array | undefined> {
    this.#check()
    const { idle } = this.#site
    this.#pieces ??= this.#answer?.body[Symbol.asyncIterator]()
    if (watched) idle.touch(this)
    try {
      const next = await this.#pieces?.next()
      idle.forget(this)
      this.#check()
      if (next?.done === false) return next.value
    } catch (error) {
      throw this.#fault(error)
    }
    this.#settle()
    return undefined
  }

  async #drain(): Promise<void> {
    this.#pieces ??= this.#answer?.body[Symbol.asyncIterator]()
    try {
      for (let left = MAX_LEFTOVER_BYTES; left > 0; ) {
        const next = await this.#pieces?.next()
        if (!next || next.done) return this.#settle()
        left -= next.value.length
      }
      this.cancel(lost(this.where, 'the rest was not waited for'))
    } catch {
      this.#settle()
    }
  }

  #settle(): void {
    if (this.#over) return
    this.#over = true
    const { idle, leftovers } = this.#site
    clearTimeout(this.#timer)
    this.#place?.leave()
    idle.forget(this)
    leftovers.forget(this)
    this.#ignore?.()
  }

  /** @throws the reason for which the call was given up. */
  #check(): void {
    if (this.#cancelled) throw this.#cancelled.reason
  }

  /** Ends the call, and tells why it had to: what it was given up for, what could not be read, or that the connection broke. */
  #fault(error: unknown): unknown {
    if (this.#cancelled) return this.#cancelled.reason
    const fault = error instanceof UnreadableAnswer ? error : lost(this.where, reasonOf(error), error)
    this.cancel(fault)
    return fault
  }
}

/** Makes the error that says why there is no connection any more. */
export function lost(where: string, why: string, cause?: unknown): ConnectionLost {
  return new ConnectionLost(`The connection to ${where} was lost: ${why}`, { cause })
}

function join(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = pieces
  if (first && pieces.length === 1) return first
  const all = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** The name that the platform has for what happened, wherever it put it. */
function reasonOf(error: unknown): string {
  const { code, message, cause } = (error ?? {}) as { code?: unknown; message?: unknown; cause?: { code?: unknown } }
  return String(code ?? cause?.code ?? message ?? error)
}
