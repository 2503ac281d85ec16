import { encode } from '../../jsonrpc/kept.ts'
import type { Message } from '../../jsonrpc/message.ts'
import { type Log, UnknownPosition } from '../../stores/log.ts'
import type { Endpoint } from './endpoint.ts'
import type { FlatHeaders } from './headers.ts'
import { refuse } from './http-error.ts'
import { encodeEvent, encodeMessage } from './sse.ts'
import { isDroppable } from './streams.ts'
import type { EventSink, HttpReply } from './types.ts'

/** Where the events of a stream rest; what gets no position was not kept, and nobody can come back for it. */
export interface EventLog extends Pick<Log, 'read' | 'delete'> {
  append(key: string, data: string): Promise<string | undefined>
}

/** How the streams of one session are kept. */
export interface ReplayOptions {
  readonly endpoint: Endpoint
  /** Where events rest; without it, nothing can be resumed and events have no ids. */
  readonly log: EventLog | null
  /** What the keys of the logs begin with. */
  readonly key: string
  /** Whether the revision lets servers close streams that clients come back for. */
  polling(): boolean
}

export interface StreamOptions extends ReplayOptions {
  /** What its event ids begin with. */
  readonly tag: string
  readonly name: string
  readonly standing: boolean
  /** Told when nothing more will come, or nobody reads it any more. */
  readonly onOver: (stream: Stream) => void
}

/** An event that is not recorded yet; the one that only tells where to begin again has no message. */
interface Unrecorded {
  readonly message: Message | ''
  readonly data: string
}

/** One stream of a session: a line of events, a record of them, and the connection of whoever reads it now. */
export class Stream {
  readonly name: string
  readonly standing: boolean
  #options: StreamOptions
  /** Of its log. */
  #key: string
  #sink: EventSink | undefined
  /** Where the first event will open the connection. */
  #unopened: { reply: HttpReply; headers: FlatHeaders | undefined } | undefined
  #line: Promise<void> = Promise.resolve()
  #unrecorded: Unrecorded[] = []
  #waitingBytes = 0
  #unheardBytes = 0
  #recorded = false
  /** Something is missing in the record. */
  #torn = false
  #ended = false
  /** All has been said up to the end. */
  #finished = false
  #closed = false

  constructor(options: StreamOptions) {
    this.name = options.name
    this.standing = options.standing
    this.#key = `${options.key}/${options.name}`
    this.#options = options
  }

  get connected(): boolean {
    return this.#unopened !== undefined || this.#sink?.closed === false
  }

  /** Nothing more will come, or nobody reads it and nobody has to. */
  get over(): boolean {
    return this.#ended || (this.standing && !this.connected)
  }

  /** Whether a message has a way to the client: a reader, or a record that a reader can come back for. */
  get reachable(): boolean {
    return this.connected || this.#recorded
  }

  /** Takes the answer to an HTTP request as the first connection. Where clients know polling, the first event tells where to begin again. */
  open(reply: HttpReply, headers?: FlatHeaders, first?: string): void {
    this.#unopened = { reply, headers }
    if (this.#options.log && this.#options.polling()) this.#enqueue('', '')
    else if (this.standing) this.#connect(first)
  }

  /** Sends a message, after all that were sent before. */
  send(message: Message): void | Promise<void> {
    if (!this.#options.log) return this.#deliver(message, encodeMessage(message))
    const { backPressureBytes, maxBufferedBytes } = this.#options.endpoint.limits
    if (this.#waitingBytes > maxBufferedBytes && isDroppable(message)) return this.#line
    const data = encode(message)
    this.#enqueue(message, data)
    if (!this.connected) return this.#unheard(data.length)
    return this.#waitingBytes > backPressureBytes ? this.#line : this.#sink?.lag
  }

  /** A handler that talks while nobody listens waits for nothing; it is made to leave time for others now and then. */
  #unheard(bytes: number): Promise<void> {
    this.#unheardBytes += bytes
    if (this.#unheardBytes <= this.#options.endpoint.limits.backPressureBytes) return this.#line
    this.#unheardBytes = 0
    return this.#line.then(() => new Promise((resolve) => setTimeout(resolve)))
  }

  /** Waits with all that comes from now on, those who resume included. */
  hold(until: Promise<void>): void {
    this.#then(() => until)
  }

  /** Resolves when all that was said so far is recorded. */
  settled(): Promise<void> {
    return this.#line
  }

  /** Lets go of the reader, who comes back after `retryMs`. */
  release(retryMs: number): void {
    this.#then(() => {
      void this.#sink?.write(encodeEvent({ retry: retryMs }))
      this.leave()
    })
  }

  /** Ends the connection; the stream stays. */
  leave(): void {
    this.#connect()
    this.#sink?.end()
  }

  /** Ends the connection for good: whoever is about to come back to it, here, has to try again. */
  close(): void {
    this.#closed = true
    this.leave()
  }

  /** Gives back a connection that was not opened yet, to be answered in another way; one that was ends. */
  withdraw(): void {
    this.#unopened = undefined
    this.leave()
    if (this.over) this.#options.onOver(this)
  }

  /** Ends the stream after all that was sent. */
  end(): void {
    this.#ended = true
    const finish = (): void => {
      this.#finished = true
      this.leave()
      this.#options.onOver(this)
    }
    if (this.#options.log) this.#then(finish)
    else finish()
  }

  /** Forgets what was recorded. */
  erase(): void {
    this.#then(() => this.#options.log?.delete(this.#key))
  }

  /** Goes on after an event, on a new connection; the one before is closed. @throws UnknownPosition. */
  resume(reply: HttpReply, after: string): Promise<void> {
    const resumed = this.#line.then(() => this.#replay(reply, after))
    this.#line = resumed.catch(() => {})
    return resumed
  }

  async #replay(reply: HttpReply, after: string): Promise<void> {
    if (this.#torn) throw new UnknownPosition()
    const entries = (await this.#options.log?.read(this.#key, after)) ?? []
    if (this.#closed) throw refuse(503, 'This stream is not kept here any more', { 'retry-after': '1' })
    const before = this.#sink
    this.#unopened = { reply, headers: undefined }
    this.#connect(entries.map(({ position, data }) => this.#event(position, data)).join('') || undefined)
    before?.end()
    if (this.#finished) this.leave()
  }

  /** What comes while others wait in line to be recorded is recorded together with them. */
  #enqueue(message: Message | '', data: string): void {
    this.#waitingBytes += data.length
    if (this.#unrecorded.push({ message, data }) === 1) this.#then(() => this.#record())
  }

  async #record(): Promise<void> {
    const batch = this.#unrecorded
    this.#unrecorded = []
    const positions = await this.#keep(batch)
    this.#recorded = positions.length > 0
    for (const [index, { message, data }] of batch.entries()) {
      this.#waitingBytes -= data.length
      void this.#deliver(message, this.#event(positions[index], data))
    }
  }

  /**
   * Writes events to the log and gives their positions; none when one of them could not be written. Who came back to a record that lacks an
   * event would miss it without being told: so such a record is deleted before the next event, and until then nobody can come back to it.
   */
  async #keep(batch: readonly Unrecorded[]): Promise<(string | undefined)[]> {
    const { log, endpoint } = this.#options
    if (!log) return []
    let appending: Promise<string | undefined>[] = []
    try {
      if (this.#torn) await log.delete(this.#key)
      appending = batch.map(({ data }) => log.append(this.#key, data))
      const positions = await Promise.all(appending)
      this.#torn = false
      return positions
    } catch (error) {
      this.#torn = true
      endpoint.onError(error)
      await Promise.allSettled(appending)
      return []
    }
  }

  #event(position: string | undefined, data: string): string {
    const { tag, endpoint } = this.#options
    const id = position === undefined ? undefined : `${tag}.${this.name}.${position}`
    return encodeEvent({ id, data, retry: data === '' ? endpoint.limits.retryMs : undefined })
  }

  #deliver(message: Message | '', text: string): void | Promise<void> {
    if (this.#unopened) return this.#connect(text)
    if (!this.#sink) return
    return message === '' ? this.#sink.write(text) : this.#options.endpoint.streams.deliver(this.#sink, message, text)
  }

  #connect(first?: string): void {
    if (!this.#unopened) return
    const { reply, headers } = this.#unopened
    const sink = this.#options.endpoint.streams.open(reply, first, headers)
    this.#unopened = undefined
    this.#sink = sink
    sink.onClose(() => {
      if (this.#sink !== sink) return
      this.#sink = undefined
      if (this.standing) this.#options.onOver(this)
    })
  }

  #then(step: () => void | Promise<void>): void {
    this.#line = this.#line.then(step).catch(this.#options.endpoint.onError)
  }
}
