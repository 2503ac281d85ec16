import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FlatHeaders } from '../headers.ts'
import type { HttpLimits } from '../limits.ts'
import { CLOSED, cutWhenStalled, openSink, SMALL_ANSWER } from '../node-sink.ts'
import type { Answer, Outbox } from '../outbox.ts'
import type { Body, EventSink, HttpReply, HttpRequest } from '../types.ts'
import { closes, hasBody, writeHead } from './head.ts'
import type { PlainRequest } from './request.ts'
import { createResponse } from './response.ts'

/** How the calls of one server are answered. */
export interface Answering {
  readonly limits: HttpLimits
  readonly outbox: Outbox
  /** What answers say of a connection that stays open; nothing when none does any more. */
  readonly staying: string | undefined
}

/** What a call sees of its connection. */
export interface Line {
  readonly socket: Socket
  readonly shared: Answering
  /** Takes the next request, or ends; the answer to the last one is written. */
  next(stays: boolean): void
}

/** One plain request and its reply. */
export class PlainCall implements HttpRequest, HttpReply, Answer {
  readonly method = 'POST'
  readonly target: string
  gone = false
  #headers: PlainRequest['headers']
  #body: string
  #line: Line
  #answer = ''
  #encoding: BufferEncoding = 'latin1'
  #stays = true
  #isAnswered = false
  #isOver = false
  #onGone: Array<() => void> | undefined

  constructor({ target, headers, body }: PlainRequest, line: Line) {
    this.target = target
    this.#headers = headers
    this.#body = body
    this.#line = line
  }

  readonly header = (name: string): string | undefined => this.#headers.get(name) ?? this.#headers.get(name.toLowerCase())

  headers(): Iterable<[string, string]> {
    return this.#headers
  }

  headerCount(name: string): number {
    return this.header(name) === undefined ? 0 : 1
  }

  readBody(): Body {
    return { text: this.#body }
  }

  onGone(listener: () => void): void {
    if (this.gone) listener()
    else (this.#onGone ??= []).push(listener)
  }

  /** The connection was closed. Nobody is told of it before: who sees that the caller is gone also hears of it. */
  lose(): void {
    if (this.#isOver) return
    this.gone = true
    for (const listener of this.#onGone ?? []) listener()
  }

  send(status: number, headers: FlatHeaders, given = ''): void {
    const { socket, shared } = this.#line
    if (this.#isAnswered || !socket.writable) return
    const body = hasBody(status) ? given : ''
    const size = Buffer.byteLength(body)
    if (size > SMALL_ANSWER) return this.#sendLarge(status, headers, body)
    this.#isAnswered = true
    this.#stays = !closes(headers)
    this.#answer = writeHead({ status, headers, size, connection: shared.staying ?? 'close' }) + body
    this.#encoding = size === body.length ? 'latin1' : 'utf8'
    // What is only taken in is said to be, before anything comes of it.
    if (body === '') this.write()
    else shared.outbox.put(this)
  }

  write(): void {
    const { socket } = this.#line
    if (!socket.writable) return
    socket.write(this.#answer, this.#encoding)
    this.#end()
  }

  open(status: number, headers: FlatHeaders, first?: string): EventSink {
    if (this.#isAnswered) return CLOSED
    return openSink(this.#respond(headers), { status, headers, first }, this.#line.shared.limits)
  }

  #sendLarge(status: number, headers: FlatHeaders, body: string): void {
    const bytes = Buffer.from(body)
    const response = this.#respond(headers)
    response.writeHead(status, [...headers, 'content-length', String(bytes.length)]).end(bytes)
    cutWhenStalled(response, this.#line.shared.limits.stallMs)
  }

  /** Makes a response for what does not leave at once. */
  #respond(headers: FlatHeaders): ServerResponse {
    this.#isAnswered = true
    this.#stays = !closes(headers)
    const response = createResponse(this.#line.socket, () => this.#end())
    return this.gone ? response.destroy() : response
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#answer = ''
    this.#line.next(this.#stays)
  }
}
