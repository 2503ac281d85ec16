/** The adapter for runtimes and frameworks with `Request` and `Response`: Bun, Deno, Workers and others. */

import { createIdleTimers, type IdleTimers } from '../../../../../util/src/idle-timers.ts'
import type { SharedBody } from '../../../../../util/src/memo.ts'
import { IS_PROCESS, RUNTIME } from '../../../../../util/src/runtime.ts'
import { ErrorCode } from '../../../jsonrpc/errors.ts'
import type { Auth, Exchange } from '../../../jsonrpc/exchange.ts'
import type { RequestBody } from '../../../protocol/http.ts'
import type { FlatHeaders } from '../common/headers.ts'
import { Header } from '../common/headers.ts'
import { ACCEPT_ALL } from '../common/media-types.ts'
import { createWriteBatcher, type PendingWrite, type WriteBatcher } from '../common/write-batcher.ts'
import { createHttpHandler } from './handler.ts'
import { HttpError, httpError } from './http-error.ts'
import type { HttpLimits } from './limits.ts'
import type { EndpointOptions } from './options.ts'
import type { EventSink, HttpContext } from './types.ts'

/** Handles web requests. */
export interface FetchHandler {
  (request: Request): Promise<Response>
  /**
   * Stops the endpoint. New requests get 503 and streams without a running request end. Running requests may finish within
   * `drainTimeoutMs` (default: 10 s); after that they are aborted.
   */
  close(drainTimeoutMs?: number): Promise<void>
}

/** The state that all requests of one handler share. */
interface FetchState {
  readonly limits: HttpLimits
  readonly batcher: WriteBatcher
  readonly bodyTimers: IdleTimers<() => void>
  readonly disconnectTimers: IdleTimers<FetchContext>
  /** Set where a disconnect is noticed only on an open stream. */
  readonly slowTimers: IdleTimers<() => void> | undefined
  readonly writeTimers: IdleTimers<FetchEventSink>
}

/** Serves an Exchange to web requests. */
export function createFetchHandler(exchange: Exchange, options: EndpointOptions = {}): FetchHandler {
  const handler = createHttpHandler(exchange, options)
  const { limits } = handler
  const state: FetchState = {
    limits,
    batcher: createWriteBatcher(setImmediate, true),
    bodyTimers: createIdleTimers(limits.bodyIdleTimeoutMs, (onTimeout) => onTimeout()),
    disconnectTimers: createIdleTimers(WATCH_DELAY_MS, (context) => context.watchDisconnect()),
    slowTimers: NOTICES_ON_STREAM ? createIdleTimers(WATCH_DELAY_MS, (listener) => listener()) : undefined,
    writeTimers: createIdleTimers(limits.writeTimeoutMs, (sink) => sink.destroy()),
  }
  const respond = (request: Request): Promise<Response> =>
    new Promise((resolve) => void handler.handle(new FetchContext(request, state, resolve)))
  const close = async (drainTimeoutMs?: number): Promise<void> => {
    await handler.close(drainTimeoutMs)
    state.batcher.flush()
    state.bodyTimers.stop()
    state.disconnectTimers.stop()
    state.slowTimers?.stop()
    state.writeTimers.stop()
  }
  return Object.assign(respond, { close })
}

/**
 * How long a request may run before the adapter listens to its signal, unless the handler does. Most requests have their response by then, and
 * runtimes create the signal only when it is read, which takes longer than a short call.
 */
const WATCH_DELAY_MS = 100
/** Deno 2.9 aborts the signal of a request whose body did not arrive with its head only after the response, but cancels an open stream at once. */
const NOTICES_ON_STREAM = RUNTIME === 'deno'
/** The status of the response to a client that disconnected. It is never seen, but runtimes wait for every response when they shut down. */
const CLIENT_CLOSED_REQUEST = 499

/** Runtimes that are no process may lack it. */
const { setImmediate } = globalThis as unknown as { setImmediate: (callback: () => void) => void }

class FetchContext implements HttpContext, PendingWrite {
  readonly method: string
  readonly target: string
  readonly host: string | undefined
  readonly body = undefined
  readonly onSlow: HttpContext['onSlow']
  accepts = ACCEPT_ALL
  auth: Auth | undefined
  commonHeaders: FlatHeaders = []
  #isWatched = false
  #isDisconnected = false
  #isComplete = false
  #isAnswered = false
  #request: Request
  #state: FetchState
  #resolve: (response: Response) => void
  #response: Response | undefined
  #listeners: Array<() => void> = []

  constructor(request: Request, state: FetchState, resolve: (response: Response) => void) {
    // The URL of a request is absolute and normalized: parsing it again would only take time.
    const { url } = request
    const hostAt = url.indexOf('//') + 2
    const targetAt = url.indexOf('/', hostAt)
    this.method = request.method
    this.target = url.slice(targetAt)
    this.host = request.headers.get(Header.host) ?? url.slice(hostAt, targetAt)
    this.#request = request
    this.#state = state
    this.#resolve = resolve
    state.disconnectTimers.touch(this)
    const { slowTimers } = state
    if (slowTimers) this.onSlow = (listener) => slowTimers.touch(listener)
  }

  get disconnected(): boolean {
    return this.#isDisconnected || (!this.#isComplete && this.#request.signal.aborted)
  }

  /** Listens to the signal of the request. */
  watchDisconnect(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    this.#state.disconnectTimers.remove(this)
    const { signal } = this.#request
    if (signal.aborted) this.disconnect()
    else signal.addEventListener('abort', () => this.disconnect(), { once: true })
  }

  readonly header = (name: string): string | undefined =>
    this.#request.headers.get(name) ?? (name === Header.host ? this.host : undefined)

  headers(): Iterable<[string, string]> {
    return this.#request.headers
  }

  headerCount(name: string): number {
    return this.header(name) === undefined ? 0 : 1
  }

  async readBody(): Promise<RequestBody> {
    return { text: await readText(this.#request, this.#state) }
  }

  onDisconnect(listener: () => void): void {
    this.watchDisconnect()
    if (this.#isDisconnected) listener()
    else this.#listeners.push(listener)
  }

  send(status: number, headers: FlatHeaders, body: string | SharedBody = ''): void {
    if (this.#isAnswered) return
    this.complete()
    this.#response = this.#respond(status, headers, body === '' ? null : String(body))
    // An acknowledgment without a body is sent before anything that the message causes. Outside of a process, no request may wait for another.
    if (body === '' || !IS_PROCESS) this.write()
    else this.#state.batcher.add(this)
  }

  write(): void {
    const response = this.#response
    this.#response = undefined
    if (response) this.#resolve(response)
  }

  open(status: number, headers: FlatHeaders, first?: string): EventSink {
    const sink = new FetchEventSink(this.#state, this)
    if (this.#isAnswered) sink.destroy()
    else this.#resolve(this.#respond(status, headers, sink.body))
    if (first !== undefined) void sink.write(first)
    return sink
  }

  #respond(status: number, headers: FlatHeaders, body: BodyInit | null): Response {
    this.#isAnswered = true
    return new Response(body, { status, headers: toRecord([...headers, ...this.commonHeaders]) })
  }

  /** Marks the response as complete: from now on a disconnect is ignored. */
  complete(): void {
    this.#isComplete = true
    if (!this.#isWatched) this.#state.disconnectTimers.remove(this)
  }

  /** Called when the client disconnects. */
  disconnect(): void {
    if (this.#isComplete || this.#isDisconnected) return
    this.#isDisconnected = true
    this.send(CLIENT_CLOSED_REQUEST, [])
    for (const listener of this.#listeners.splice(0)) listener()
  }
}

/** A body of a declared size up to this one is read in one step, which many runtimes and frameworks do without creating a stream. */
const SMALL_BODY_BYTES = 16 * 1024

/** Reads the body as text. @throws HttpError 400, 408 or 413. */
async function readText(request: Request, state: FetchState): Promise<string> {
  const { limits } = state
  const length = Number(request.headers.get('content-length') ?? 0)
  if (length > limits.maxBodyBytes) throw tooLarge(limits)
  try {
    return await (length > 0 && length <= SMALL_BODY_BYTES ? readAtOnce(request, state) : readStream(request, state))
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw new HttpError(400, {}, { code: ErrorCode.parseError, message: 'Parse error: the body is not UTF-8' })
  }
}

const createDecoder = (): TextDecoder => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const wholeBodies = createDecoder()

/** Reads a small body. It has as much time as a larger one has between two chunks. */
async function readAtOnce(request: Request, { limits, bodyTimers }: FetchState): Promise<string> {
  let onTimeout!: () => void
  try {
    const bytes = await new Promise<ArrayBuffer>((resolve, reject) => {
      onTimeout = () => reject(tooSlow())
      bodyTimers.touch(onTimeout)
      request.arrayBuffer().then(resolve, reject)
    })
    if (bytes.byteLength > limits.maxBodyBytes) throw tooLarge(limits)
    return wholeBodies.decode(bytes)
  } finally {
    bodyTimers.remove(onTimeout)
  }
}

async function readStream(request: Request, { limits, bodyTimers }: FetchState): Promise<string> {
  if (!request.body) return ''
  const decoder = createDecoder()
  const reader = request.body.getReader()
  const startedAt = performance.now()
  let isTimedOut = false
  const onTimeout = (): void => {
    isTimedOut = true
    void reader.cancel()
  }
  let text = ''
  let size = 0
  try {
    for (;;) {
      bodyTimers.touch(onTimeout)
      const { done, value } = await reader.read()
      if (isTimedOut || performance.now() - startedAt > limits.bodyTimeoutMs) throw tooSlow()
      if (done) return text + decoder.decode()
      size += value.length
      if (size > limits.maxBodyBytes) throw tooLarge(limits)
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    void reader.cancel().catch(() => {})
    throw error
  } finally {
    bodyTimers.remove(onTimeout)
  }
}

function tooSlow(): HttpError {
  return httpError(408, 'The body did not arrive in time')
}

function tooLarge({ maxBodyBytes }: HttpLimits): HttpError {
  return httpError(413, `The body exceeds ${maxBodyBytes} bytes`)
}

const encoder = new TextEncoder()

/** An event stream on a `ReadableStream`. Its buffer is full when it holds `highWaterMarkBytes`. */
class FetchEventSink implements EventSink {
  readonly body: ReadableStream<Uint8Array>
  drained: Promise<void> | undefined
  closed = false
  #state: FetchState
  #context: FetchContext
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #resolveDrained: (() => void) | undefined
  #listeners: Array<() => void> = []

  constructor(state: FetchState, context: FetchContext) {
    this.#state = state
    this.#context = context
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#release(),
      cancel: () => this.#disconnect(),
    }
    this.body = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: state.limits.highWaterMarkBytes }))
    context.onDisconnect(() => this.#close())
  }

  get bufferedBytes(): number {
    return this.closed ? 0 : this.#state.limits.highWaterMarkBytes - (this.#controller.desiredSize ?? 0)
  }

  write(text: string): void | Promise<void> {
    if (this.closed) return
    this.#controller.enqueue(encoder.encode(text))
    if (this.drained || (this.#controller.desiredSize ?? 0) > 0) return this.drained
    this.#state.writeTimers.touch(this)
    this.drained = new Promise((resolve) => void (this.#resolveDrained = resolve))
    return this.drained
  }

  sendHeartbeat(comment: string): void {
    if (this.drained) return
    void this.write(comment)
  }

  end(): void {
    if (this.closed) return
    this.#context.complete()
    this.#controller.close()
    this.#close()
  }

  destroy(): void {
    if (this.closed) return
    this.#controller.error(new Error('The stream was closed'))
    this.#disconnect()
  }

  onClose(listener: () => void): void {
    if (this.closed) listener()
    else this.#listeners.push(listener)
  }

  #disconnect(): void {
    this.#close()
    this.#context.disconnect()
  }

  #close(): void {
    if (this.closed) return
    this.closed = true
    this.#release()
    for (const listener of this.#listeners.splice(0)) listener()
  }

  #release(): void {
    this.#state.writeTimers.remove(this)
    this.drained = undefined
    this.#resolveDrained?.()
    this.#resolveDrained = undefined
  }
}

/** Converts headers to a form that frameworks pass on without creating `Headers`. Values of the same name are joined. */
function toRecord(headers: FlatHeaders): Record<string, string> {
  const record: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string
    const value = headers[at + 1] as string
    record[name] = Object.hasOwn(record, name) ? `${record[name]}, ${value}` : value
  }
  return record
}
