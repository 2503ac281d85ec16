/** The front for everything that speaks `Request` and `Response`: Bun, Deno, Workers, and frameworks built on them. */
import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { createExpiry, type Expiry } from './expiry.ts'
import { createHttpHandler, readLimits } from './handler.ts'
import type { FlatHeaders } from './headers.ts'
import { Header } from './headers.ts'
import { HttpError, refuse } from './http-error.ts'
import type { HttpLimits } from './limits.ts'
import type { HttpOptions } from './options.ts'
import type { Body, EventSink, HttpReply, HttpRequest } from './types.ts'

/** Answers web requests. */
export interface FetchHandler {
  (request: Request): Promise<Response>
  /** See `HttpHandler.close`. */
  close(drainMs?: number): Promise<void>
}

/** What the requests of one front share. */
interface Front {
  readonly limits: HttpLimits
  readonly bodies: Expiry<() => void>
  readonly stalls: Expiry<FetchSink>
}

/** Serves an Exchange to web requests. */
export function createFetchHandler(exchange: Exchange, options: HttpOptions = {}): FetchHandler {
  const limits = readLimits(options)
  const handler = createHttpHandler(exchange, options)
  const front: Front = {
    limits,
    bodies: createExpiry(limits.bodyPauseMs, (timeOut) => timeOut()),
    stalls: createExpiry(limits.stallMs, (sink) => sink.cut()),
  }
  const answer = (request: Request): Promise<Response> =>
    new Promise((resolve) => {
      const visitor = new FetchRequest(request, front)
      void handler.handle(visitor, new FetchReply(visitor, front, resolve))
    })
  const close = async (drainMs?: number): Promise<void> => {
    await handler.close(drainMs)
    front.bodies.stop()
    front.stalls.stop()
  }
  return Object.assign(answer, { close })
}

class FetchRequest implements HttpRequest {
  readonly method: string
  readonly target: string
  gone = false
  done = false
  #request: Request
  #front: Front
  #host: string
  #listeners: Array<() => void> = []

  constructor(request: Request, front: Front) {
    const { pathname, search, host } = new URL(request.url)
    this.method = request.method
    this.target = pathname + search
    this.#host = host
    this.#request = request
    this.#front = front
    if (request.signal.aborted) this.leave()
    else request.signal.addEventListener('abort', () => this.leave(), { once: true })
  }

  readonly header = (name: string): string | undefined =>
    this.#request.headers.get(name) ?? (name === Header.host ? this.#host : undefined)

  headers(): Iterable<[string, string]> {
    return this.#request.headers
  }

  headerCount(name: string): number {
    return this.header(name) === undefined ? 0 : 1
  }

  async readBody(): Promise<Body> {
    return { text: await readText(this.#request, this.#front) }
  }

  onGone(listener: () => void): void {
    if (this.gone) listener()
    else this.#listeners.push(listener)
  }

  /** Notes that the caller went away; once the answer is complete it does nothing. */
  leave(): void {
    if (this.done || this.gone) return
    this.gone = true
    for (const listener of this.#listeners.splice(0)) listener()
  }
}

async function readText(request: Request, { limits, bodies }: Front): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > limits.maxBodyBytes) throw tooLarge(limits)
  if (!request.body) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const reader = request.body.getReader()
  const startedAt = performance.now()
  let late = false
  const timeOut = (): void => {
    late = true
    void reader.cancel()
  }
  let text = ''
  let size = 0
  try {
    for (;;) {
      bodies.touch(timeOut)
      const { done, value } = await reader.read()
      if (late || performance.now() - startedAt > limits.bodyTimeoutMs) throw refuse(408, 'The body did not come in time')
      if (done) return text + decoder.decode()
      size += value.length
      if (size > limits.maxBodyBytes) throw tooLarge(limits)
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    void reader.cancel().catch(() => {})
    throw error instanceof HttpError
      ? error
      : new HttpError(400, {}, { code: ErrorCode.parseError, message: 'Parse error: the body is not UTF-8' })
  } finally {
    bodies.forget(timeOut)
  }
}

function tooLarge({ maxBodyBytes }: HttpLimits): HttpError {
  return refuse(413, `The body has more than ${maxBodyBytes} bytes`)
}

/** What is answered when nobody hears it: a runtime that shuts down waits for all answers. */
const CLIENT_CLOSED_REQUEST = 499

class FetchReply implements HttpReply {
  #request: FetchRequest
  #front: Front
  #resolve: (response: Response) => void
  #answered = false

  constructor(request: FetchRequest, front: Front, resolve: (response: Response) => void) {
    this.#request = request
    this.#front = front
    this.#resolve = resolve
    request.onGone(() => this.send(CLIENT_CLOSED_REQUEST, []))
  }

  send(status: number, headers: FlatHeaders, body = ''): void {
    if (this.#answered) return
    this.#answered = true
    this.#request.done = true
    this.#resolve(new Response(body === '' ? null : body, { status, headers: pairs(headers) }))
  }

  open(status: number, headers: FlatHeaders, first?: string): EventSink {
    const sink = new FetchSink(this.#front, this.#request)
    if (this.#answered) sink.cut()
    else this.#resolve(new Response(sink.body, { status, headers: pairs(headers) }))
    this.#answered = true
    if (first !== undefined) void sink.write(first)
    return sink
  }
}

const encoder = new TextEncoder()

/** The open end of a `ReadableStream`; it is full when the reader leaves `backPressureBytes` lying. */
class FetchSink implements EventSink {
  readonly body: ReadableStream<Uint8Array>
  lag: Promise<void> | undefined
  closed = false
  #front: Front
  #request: FetchRequest
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #caughtUp: (() => void) | undefined
  #listeners: Array<() => void> = []

  constructor(front: Front, request: FetchRequest) {
    this.#front = front
    this.#request = request
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#release(),
      cancel: () => this.#leave(),
    }
    this.body = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: front.limits.backPressureBytes }))
    request.onGone(() => this.#close())
  }

  get bufferedBytes(): number {
    return this.closed ? 0 : this.#front.limits.backPressureBytes - (this.#controller.desiredSize ?? 0)
  }

  write(text: string): void | Promise<void> {
    if (this.closed) return
    this.#controller.enqueue(encoder.encode(text))
    if (this.lag || (this.#controller.desiredSize ?? 0) > 0) return this.lag
    this.#front.stalls.touch(this)
    this.lag = new Promise((resolve) => void (this.#caughtUp = resolve))
    return this.lag
  }

  keepAlive(comment: string): void {
    if (this.lag) return
    void this.write(comment)
  }

  end(): void {
    if (this.closed) return
    this.#request.done = true
    this.#controller.close()
    this.#close()
  }

  cut(): void {
    if (this.closed) return
    this.#controller.error(new Error('The stream was cut'))
    this.#leave()
  }

  onClose(listener: () => void): void {
    if (this.closed) listener()
    else this.#listeners.push(listener)
  }

  #leave(): void {
    this.#close()
    this.#request.leave()
  }

  #close(): void {
    if (this.closed) return
    this.closed = true
    this.#release()
    for (const listener of this.#listeners.splice(0)) listener()
  }

  #release(): void {
    this.#front.stalls.forget(this)
    this.lag = undefined
    this.#caughtUp?.()
    this.#caughtUp = undefined
  }
}

function pairs(headers: FlatHeaders): [string, string][] {
  const all: [string, string][] = []
  for (let at = 0; at < headers.length; at += 2) all.push([headers[at] ?? '', headers[at + 1] ?? ''])
  return all
}
