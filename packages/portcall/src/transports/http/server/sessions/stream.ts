import type { Message } from '../../../../jsonrpc/message.ts'
import { stringifyMessage } from '../../../../jsonrpc/message.ts'
import { type EventLog, UnknownPositionError } from '../../../../stores/log.ts'
import type { FlatHeaders } from '../../common/headers.ts'
import { encodeEvent, encodeMessage } from '../../common/sse-encode.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { httpError } from '../http-error.ts'
import { isDroppable, isResponse } from '../open-streams.ts'
import { watchTokenExpiry } from '../token-expiry.ts'
import type { EventSink, HttpReply } from '../types.ts'

/** An event log whose `append` resolves to undefined for events that it does not store. Such events get no id. */
export interface StreamEventLog extends Pick<EventLog, 'read' | 'delete'> {
  append(key: string, data: string): Promise<string | undefined>
}

/** The options of all streams of a session. */
export interface StreamOptions {
  readonly endpoint: HttpEndpoint
  /** Where events are recorded. Null disables resumption: events have no ids. */
  readonly log: StreamEventLog | null
  /** The text before the name of a stream in the keys of its log. The default log takes what is before the last slash as the owner. */
  readonly key: string
  /** The prefix of event ids. It identifies the session. */
  readonly eventIdPrefix: string
  /** Reports whether the revision allows the server to close a stream that the client then resumes. */
  canPoll(): boolean
  /** Called when a stream becomes inactive. */
  onInactive(stream: Stream): void
}

/** An event that is not recorded yet. The event that only provides the first event id has no message. */
interface UnrecordedEvent {
  readonly message: Message | ''
  readonly data: string
}

/**
 * An event stream of a session. It outlives its connection: events are recorded one after another, and then sent to the client if it is
 * connected.
 */
export class Stream {
  readonly name: string
  /** True if the stream belongs to no request: a client opened it with a GET. */
  readonly isStandalone: boolean
  readonly #options: StreamOptions
  readonly #key: string
  #sink: EventSink | undefined
  /** The reply that the first event opens, and whether its client reconnects when the connection ends before the stream. */
  #pendingReply: { reply: HttpReply; headers: FlatHeaders | undefined; mayReconnect: boolean } | undefined
  /** Runs one step at a time, in order. */
  #queue: Promise<void> = Promise.resolve()
  #unrecorded: UnrecordedEvent[] = []
  #unrecordedBytes = 0
  #bytesWithoutReader = 0
  #isRecorded = false
  /** True if an event is missing in the log. */
  #hasGap = false
  /** True if a message was lost because the log is too slow, and the client is not disconnected yet. */
  #hasOverflowed = false
  #isPaused = false
  #isEnded = false
  /** True if everything up to the end was sent. */
  #isFinished = false
  #isClosed = false
  #isDeleted = false

  constructor(name: string, isStandalone: boolean, options: StreamOptions) {
    this.name = name
    this.isStandalone = isStandalone
    this.#key = options.key + name
    this.#options = options
  }

  get isConnected(): boolean {
    return this.#pendingReply !== undefined || this.#sink?.closed === false
  }

  /** True if no more events will follow, or the stream is standalone and has no reader. */
  get isInactive(): boolean {
    return this.#isEnded || (this.isStandalone && !this.isConnected)
  }

  /** True if a message can get to the client: it is connected, or it can resume the stream. */
  get isReachable(): boolean {
    return this.isConnected || this.#isRecorded
  }

  /**
   * Makes a reply the first connection of the stream. In revisions with polling, the stream starts with an event without data, from which
   * the client can resume.
   */
  open(reply: HttpReply, headers?: FlatHeaders, firstEvent?: string): void {
    const isPolled = this.#options.log !== null && this.#options.canPoll()
    this.#pendingReply = { reply, headers, mayReconnect: this.isStandalone || isPolled }
    if (isPolled) this.#push('', '')
    else if (this.isStandalone && this.#isPaused) this.#enqueue(() => this.#connect(firstEvent))
    else if (this.isStandalone) this.#connect(firstEvent)
  }

  /** Sends a message. Returns a promise while the client or the log is too slow. */
  send(message: Message): void | Promise<void> {
    // Recorded after the log was deleted, the response of a call that ends late would stay in a log of its own.
    if (this.#isDeleted) return
    if (!this.#options.log) return this.#deliver(message, encodeMessage(message))
    const { highWaterMarkBytes, maxBufferedBytes } = this.#options.endpoint.limits
    if (this.#unrecordedBytes > maxBufferedBytes && !isResponse(message)) {
      if (!isDroppable(message)) this.#overflow()
      return this.#queue
    }
    const data = stringifyMessage(message)
    this.#push(message, data)
    if (!this.isConnected) return this.#yieldWithoutReader(data.length)
    return this.#unrecordedBytes > highWaterMarkBytes ? this.#queue : this.#sink?.drained
  }

  /** Disconnects the client after what is recorded so far. It cannot resume from there, so it learns that a message was lost. */
  #overflow(): void {
    if (this.#hasOverflowed) return
    this.#hasOverflowed = true
    this.#enqueue(async () => {
      this.#hasOverflowed = false
      this.#hasGap = true
      this.disconnect()
      await this.#options.log?.delete(this.#key)
    })
  }

  /** Without a reader there is no backpressure. A handler that sends a lot then lets other work run from time to time. */
  #yieldWithoutReader(bytes: number): Promise<void> {
    this.#bytesWithoutReader += bytes
    if (this.#bytesWithoutReader <= this.#options.endpoint.limits.highWaterMarkBytes) return this.#queue
    this.#bytesWithoutReader = 0
    return this.#queue.then(() => new Promise((resolve) => setTimeout(resolve)))
  }

  /** Delays all further events and resumptions until a promise resolves, and the response of a reply that is opened before. */
  pauseUntil(promise: Promise<void>): void {
    this.#isPaused = true
    this.#enqueue(() => promise)
    this.#enqueue(() => void (this.#isPaused = false))
  }

  /** Resolves when all events so far are recorded. */
  whenRecorded(): Promise<void> {
    return this.#queue
  }

  /** Disconnects the client and tells it to reconnect after `retryDelayMs`. */
  release(retryDelayMs: number): void {
    this.#enqueue(() => {
      void this.#sink?.write(encodeEvent({ retry: retryDelayMs }))
      this.disconnect()
    })
  }

  /** Ends the connection, but not the stream. */
  disconnect(): void {
    this.#connect()
    this.#sink?.end()
  }

  /** Ends the connection for good. Resumptions that are pending get 503. */
  close(): void {
    this.#isClosed = true
    this.disconnect()
  }

  /** Detaches a reply that was not opened yet, so that the caller can send an error instead. An open connection ends. */
  detachReply(): void {
    this.#pendingReply = undefined
    this.disconnect()
    if (this.isInactive) this.#options.onInactive(this)
  }

  /** Ends the stream after everything that was sent. */
  end(): void {
    this.#isEnded = true
    const finish = (): void => {
      this.#isFinished = true
      this.disconnect()
      this.#options.onInactive(this)
    }
    if (this.#options.log) this.#enqueue(finish)
    else finish()
  }

  /** Deletes the recorded events. Events that are sent later are dropped. */
  deleteLog(): void {
    this.#isDeleted = true
    this.#enqueue(() => this.#options.log?.delete(this.#key))
  }

  /**
   * Sends the events after a position to a new connection, which replaces the current one.
   *
   * @throws UnknownPositionError.
   * @throws HttpError 503 if the stream was closed meanwhile.
   */
  resume(reply: HttpReply, after: string): Promise<void> {
    const resumed = this.#queue.then(() => this.#replay(reply, after))
    this.#queue = resumed.catch(() => {})
    return resumed
  }

  async #replay(reply: HttpReply, after: string): Promise<void> {
    if (this.#hasGap) throw new UnknownPositionError()
    const entries = (await this.#options.log?.read(this.#key, after)) ?? []
    if (this.#isClosed) throw httpError(503, 'The stream has moved or ended: try again', { 'retry-after': '1' })
    const previous = this.#sink
    this.#pendingReply = { reply, headers: undefined, mayReconnect: true }
    this.#connect(entries.map(({ position, data }) => this.#encode(position, data)).join('') || undefined)
    previous?.end()
    if (this.#isFinished) this.disconnect()
  }

  /** Adds an event. Events that arrive while others are being recorded are recorded together. */
  #push(message: Message | '', data: string): void {
    this.#unrecordedBytes += data.length
    if (this.#unrecorded.push({ message, data }) === 1) this.#enqueue(() => this.#recordAndDeliver())
  }

  async #recordAndDeliver(): Promise<void> {
    const events = this.#unrecorded
    this.#unrecorded = []
    const positions = await this.#record(events)
    this.#isRecorded = positions.length > 0
    for (const [index, { message, data }] of events.entries()) {
      this.#unrecordedBytes -= data.length
      void this.#deliver(message, this.#encode(positions[index], data))
    }
  }

  /**
   * Appends events to the log and returns their positions, or none if an event could not be appended. Resuming from a log with a gap would
   * lose an event silently, so the log is deleted before the next event, and the stream cannot be resumed until then.
   */
  async #record(events: readonly UnrecordedEvent[]): Promise<(string | undefined)[]> {
    const { log, endpoint } = this.#options
    if (!log) return []
    let appends: Promise<string | undefined>[] = []
    try {
      if (this.#hasGap) await log.delete(this.#key)
      appends = events.map(({ data }) => log.append(this.#key, data))
      const positions = await Promise.all(appends)
      this.#hasGap = false
      return positions
    } catch (error) {
      this.#hasGap = true
      endpoint.onError(error)
      await Promise.allSettled(appends)
      return []
    }
  }

  #encode(position: string | undefined, data: string): string {
    const { eventIdPrefix, endpoint } = this.#options
    const id = position === undefined ? undefined : `${eventIdPrefix}.${this.name}.${position}`
    return encodeEvent({ id, data, retry: data === '' ? endpoint.limits.retryDelayMs : undefined })
  }

  #deliver(message: Message | '', text: string): void | Promise<void> {
    if (this.#pendingReply) return this.#connect(text)
    if (!this.#sink) return
    return message === '' ? this.#sink.write(text) : this.#options.endpoint.streams.send(this.#sink, message, text)
  }

  #connect(first?: string): void {
    if (!this.#pendingReply) return
    const { reply, headers, mayReconnect } = this.#pendingReply
    const sink = this.#options.endpoint.streams.open(reply, first, headers)
    const expiry = mayReconnect ? watchTokenExpiry(reply.auth, () => sink.end()) : undefined
    this.#pendingReply = undefined
    this.#sink = sink
    sink.onClose(() => {
      expiry?.cancel()
      if (this.#sink !== sink) return
      this.#sink = undefined
      if (this.isStandalone) this.#options.onInactive(this)
    })
  }

  #enqueue(step: () => void | Promise<void>): void {
    this.#queue = this.#queue.then(step).catch((error: unknown) => void this.#options.endpoint.onError(error))
  }
}
