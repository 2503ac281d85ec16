/**
 * The streams of one session. Each stream has a log of its own, whose key starts with the key of the session. An event id has the form
 * `prefix.stream.position`. The prefix identifies the session, so the event ids of other sessions are refused before any lookup.
 *
 * Everything that happens to a stream is serialized: an event is recorded, then sent to the current connection. A resumption takes its turn
 * between two events: it replays the events that the client missed, and all later events arrive live. No event is lost or sent twice.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */

import { randomId } from '../../../../../../util/src/random.ts'
import type { Message, Request } from '../../../../jsonrpc/message.ts'
import { UnknownPositionError } from '../../../../stores/log.ts'
import type { FlatHeaders } from '../../common/headers.ts'
import { type HttpError, httpError } from '../http-error.ts'
import type { HttpReply } from '../types.ts'
import { Stream, type StreamOptions } from './stream.ts'

/** How a stream starts. */
export interface StreamStart {
  readonly headers?: FlatHeaders | undefined
  /** The requests that are answered on the stream. Default: none, because the stream is standalone. */
  readonly requests?: readonly Request[] | undefined
  /** The encoded first event of a standalone stream. It is not recorded. */
  readonly firstEvent?: string
  /** The response begins when it resolves. Until then, the caller can detach the reply. */
  readonly beginsAfter?: Promise<void>
}

export interface ResumableStreamsOptions extends Pick<StreamOptions, 'endpoint' | 'log' | 'key' | 'canPoll'> {
  /** Default: random. */
  readonly eventIdPrefix?: string
  /** Returns names that are unique within the session. Default: consecutive numbers. */
  readonly nextName?: () => string
  /** Called before a stream is opened. */
  readonly onOpen?: (name: string, requests: readonly Request[] | undefined) => void
  /** Called when a stream becomes inactive. */
  readonly onInactive?: (stream: Stream) => void
}

/** The parts of an event id. */
export interface EventId {
  readonly prefix: string
  readonly stream: string
  readonly position: string
}

const PREFIX_BYTES = 6
const EVENT_ID = /^([^.]+)\.([^.]+)\.(.+)$/
const MAX_EVENT_ID_LENGTH = 300

/** Parses the value of a `Last-Event-ID` header. @throws HttpError 400. */
export function parseEventId(text: string): EventId {
  const [, prefix, stream = '', position = ''] = EVENT_ID.exec(text.slice(0, MAX_EVENT_ID_LENGTH)) ?? []
  if (prefix === undefined) throw httpError(400, 'Bad request: this server did not issue this event id')
  return { prefix, stream, position }
}

/** Returns the error for an event that does not exist, or that the client may not read. */
export function eventNotFound(): HttpError {
  return httpError(404, 'Event not found')
}

/** The streams of one session that are connected or can be resumed. */
export class ResumableStreams {
  readonly #options: ResumableStreamsOptions
  readonly #streamOptions: StreamOptions
  readonly #streams = new Map<string, Stream>()
  /** Inactive streams, in the order in which they became inactive. */
  #inactive: Set<Stream> | undefined
  #lastName = 0

  constructor(options: ResumableStreamsOptions) {
    const { endpoint, log, key, canPoll, eventIdPrefix = log ? randomId(PREFIX_BYTES) : '' } = options
    this.#options = options
    this.#streamOptions = { endpoint, log, key, eventIdPrefix, canPoll, onInactive: (stream) => this.#retire(stream) }
  }

  /** True if the revision allows the server to close a stream that the client then resumes. */
  get canPoll(): boolean {
    return this.#options.canPoll()
  }

  /** True if a client reads one of the streams. */
  get isConnected(): boolean {
    return this.list().some(({ isConnected }) => isConnected)
  }

  /** True if a client reads a standalone stream. */
  get hasListener(): boolean {
    return this.#standalone().some(({ isConnected }) => isConnected)
  }

  get(name: string): Stream | undefined {
    return this.#streams.get(name)
  }

  /** Returns all streams, oldest first. */
  list(): Stream[] {
    return [...this.#streams.values()]
  }

  /** Answers with a new stream. Disconnects the oldest standalone stream if a further one exceeds `maxSessionStreams`. */
  open(reply: HttpReply, { headers, requests, firstEvent, beginsAfter }: StreamStart = {}): Stream {
    const { nextName, onOpen } = this.#options
    if (!requests) this.#makeRoom()
    const name = nextName ? nextName() : (++this.#lastName).toString(36)
    onOpen?.(name, requests)
    const stream = this.add(name, !requests)
    if (beginsAfter) stream.pauseUntil(beginsAfter)
    stream.open(reply, headers, firstEvent)
    return stream
  }

  /** Adds a stream that has no connection yet. */
  add(name: string, isStandalone: boolean): Stream {
    const stream = new Stream(name, isStandalone, this.#streamOptions)
    this.#streams.set(name, stream)
    return stream
  }

  /** Resumes a stream after an event, on a new connection. @throws HttpError 400, 404. */
  async resume(eventId: string, reply: HttpReply): Promise<void> {
    const { prefix, stream: name, position } = parseEventId(eventId)
    const stream = prefix === this.#streamOptions.eventIdPrefix ? this.get(name) : undefined
    if (!stream) throw eventNotFound()
    this.reactivate(stream)
    try {
      await stream.resume(reply, position)
    } catch (error) {
      throw error instanceof UnknownPositionError ? eventNotFound() : error
    } finally {
      if (stream.isInactive) this.#retire(stream)
    }
  }

  /** Protects an inactive stream from being deleted, because a client is about to resume it. */
  reactivate(stream: Stream): void {
    this.#inactive?.delete(stream)
  }

  /** Sends a message that belongs to no request on one standalone stream: the newest. Drops it if there is none. */
  send(message: Message): void | Promise<void> {
    const streams = this.#standalone()
    return (streams.findLast(({ isConnected }) => isConnected) ?? streams.at(-1))?.send(message)
  }

  /** Disconnects the standalone streams. */
  drain(): void {
    for (const stream of this.#standalone()) stream.disconnect()
  }

  /** Closes a stream. Its log stays. */
  remove(stream: Stream): void {
    this.#streams.delete(stream.name)
    this.#inactive?.delete(stream)
    stream.close()
  }

  /** Closes all streams and deletes their logs. */
  delete(): void {
    for (const stream of this.list()) this.#delete(stream)
  }

  #delete(stream: Stream): void {
    this.remove(stream)
    stream.deleteLog()
  }

  /** Stores an inactive stream so that it can be resumed, and deletes the oldest ones above `maxResumableStreams`. */
  #retire(stream: Stream): void {
    if (this.get(stream.name) !== stream) return
    const { log, endpoint, onInactive } = this.#options
    if (!log) return this.#delete(stream)
    onInactive?.(stream)
    const inactive = (this.#inactive ??= new Set())
    inactive.add(stream)
    for (const oldest of inactive) {
      if (inactive.size <= endpoint.limits.maxResumableStreams) return
      this.#delete(oldest)
    }
  }

  #makeRoom(): void {
    const connected = this.#standalone().filter(({ isConnected }) => isConnected)
    if (connected.length >= this.#options.endpoint.limits.maxSessionStreams) connected[0]?.disconnect()
  }

  #standalone(): Stream[] {
    return this.list().filter(({ isStandalone }) => isStandalone)
  }
}
