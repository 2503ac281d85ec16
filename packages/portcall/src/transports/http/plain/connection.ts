import type { Socket } from 'node:net'
import type { HttpHandler } from '../types.ts'
import { type Answering, type Line, PlainCall } from './call.ts'
import { HALF, type PlainLimits, readPlainRequest } from './request.ts'

/** What the connections of one server share. */
export interface Shared extends Answering {
  readonly handler: Pick<HttpHandler, 'handle'>
  readonly plainLimits: PlainLimits
  staying: string | undefined
  /** Gives a connection to the server. */
  readonly admit: (socket: Socket) => void
  /** A part of a request came. */
  readonly onHalf: (connection: Connection) => void
  /** The rest of it came, or the first request. */
  readonly onWhole: (connection: Connection) => void
  readonly onAnswered: (connection: Connection) => void
  /** It is closed, or the server's. */
  readonly onOver: (connection: Connection) => void
}

/** One connection: a plain request, its answer, the next request, until something else comes. */
export class Connection implements Line {
  readonly socket: Socket
  readonly shared: Shared
  #isNew = true
  /** How many bytes had left when it was looked at last, and since when. */
  #left = -1
  #leftAt = 0
  #call: PlainCall | undefined
  #half: Buffer | undefined
  /** What came before its time. */
  #held: Buffer | undefined

  constructor(socket: Socket, shared: Shared) {
    this.socket = socket
    this.shared = shared
    socket.on('data', this.#take).on('end', this.#hangUp).on('close', this.#lose).on('error', ignore)
  }

  /** Whether an answer is due that can still be given, or is leaving, however slowly its reader takes it. */
  isBusy(): boolean {
    const { bytesWritten, writableLength, writable } = this.socket
    const left = bytesWritten - writableLength
    const now = performance.now()
    if (left !== this.#left) this.#leftAt = now
    this.#left = left
    const isLeaving = writableLength > 0 && now - this.#leftAt < this.shared.limits.stallMs
    return isLeaving || (this.#call !== undefined && writable)
  }

  /** Ends when nothing is due: what has begun is for the server. */
  leave(): void {
    if (this.#half) this.giveUp()
    else if (!this.#call) this.socket.destroySoon()
  }

  next(stays: boolean): void {
    this.#call = undefined
    this.shared.onAnswered(this)
    if (!stays || !this.shared.staying) this.socket.destroySoon()
    else if (this.socket.writableNeedDrain) this.#hold(NOTHING).once('drain', this.#goOn)
    else if (this.#held) this.#goOn()
  }

  /** What begins a request is not waited for any longer: it is for the server. */
  giveUp(): void {
    if (this.#half) this.#handOver(this.#half)
  }

  readonly #take = (bytes: Buffer): void => {
    if (this.#call || this.#held) return void this.#hold(bytes)
    if (!this.socket.writable) return
    const all = this.#half ? Buffer.concat([this.#half, bytes]) : bytes
    const request = readPlainRequest(all, this.shared.plainLimits)
    if (!request || (request === HALF && this.#half)) return this.#handOver(all)
    if (request === HALF) return this.#wait(all)
    if (this.#isNew || this.#half) this.shared.onWhole(this)
    this.#isNew = false
    this.#half = undefined
    const call = (this.#call = new PlainCall(request, this))
    void this.shared.handler.handle(call, call)
  }

  /** Many clients send the head of a request and its body one after the other. */
  #wait(bytes: Buffer): void {
    this.#half = bytes
    this.shared.onHalf(this)
  }

  /** A client that sends before it has its answer, or does not read it, has to wait with more. */
  #hold(bytes: Buffer): Socket {
    this.#held = this.#held ? Buffer.concat([this.#held, bytes]) : bytes
    return this.socket.pause()
  }

  readonly #goOn = (): void => {
    const bytes = this.#held
    this.#held = undefined
    this.socket.resume()
    if (bytes?.length) this.#take(bytes)
  }

  #handOver(bytes: Buffer): void {
    const { socket, shared } = this
    shared.onOver(this)
    socket.off('data', this.#take).off('end', this.#hangUp).off('close', this.#lose).off('error', ignore)
    socket.pause().unshift(bytes)
    shared.admit(socket)
    socket.resume()
  }

  readonly #hangUp = (): void => {
    this.#half = undefined
    this.socket.end()
  }

  readonly #lose = (): void => {
    this.shared.onOver(this)
    this.#call?.lose()
  }
}

const NOTHING = Buffer.alloc(0)

/** A connection that fails is closed too. */
function ignore(): void {}
