/**
 * The streams of one session, which a client can resume. Each stream is a log of its own whose key begins with the session, and an event id
 * says `tag.stream.position`: the tag is the session's, so an id of another session is refused before anything is looked up, and
 * no id leads to a log that is not the session's.
 *
 * All that happens to a stream happens in one line: an event is recorded, then sent to the reader of that moment. A reader that comes
 * back joins that line, gets what it missed, and everything after it live; nothing can come twice or fall between.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
import type { Message } from '../../jsonrpc/message.ts'
import { UnknownPosition } from '../../stores/log.ts'
import type { FlatHeaders } from './headers.ts'
import { refuse } from './http-error.ts'
import { SessionStreams } from './session-streams.ts'
import { type ReplayOptions, Stream } from './stream.ts'
import type { HttpReply } from './types.ts'

/** How a stream begins. */
export interface BeginOptions {
  readonly standing?: boolean
  readonly headers?: FlatHeaders
  /** The first event, which is not recorded. */
  readonly first?: string
}

/** The streams of one session. */
export interface Replay {
  /** Whether anybody reads one of them now. */
  readonly connected: boolean
  /** Answers with a new stream. A `standing` one belongs to no request. */
  begin(reply: HttpReply, options?: BeginOptions): Stream
  /** Goes on with a stream after an event, on a new connection. @throws HttpError 400, 404. */
  resume(eventId: string, reply: HttpReply): Promise<void>
  /** Sends a message that belongs to no request: on one standing stream, the newest. Without one it is lost. */
  tell(message: Message): void | Promise<void>
  /** Ends the connections of the standing streams. */
  drain(): void
  /** Ends all streams and forgets what was recorded. */
  close(): void
}

const EVENT_ID = /^([^.]+)\.([^.]+)\.(.+)$/
const MAX_EVENT_ID = 200

/** Keeps the streams of one session. */
export function createReplay(options: ReplayOptions): Replay {
  return new RecordedStreams(options)
}

class RecordedStreams implements Replay {
  readonly #options: ReplayOptions
  readonly #tag: string
  readonly #streams: SessionStreams
  #last = 0

  constructor(options: ReplayOptions) {
    this.#options = options
    this.#tag = options.log ? crypto.randomUUID().slice(0, 8) : ''
    this.#streams = new SessionStreams(options.endpoint.limits)
  }

  get connected(): boolean {
    return this.#streams.connected
  }

  begin(reply: HttpReply, { standing = false, headers, first }: BeginOptions = {}): Stream {
    if (standing) this.#streams.makeRoom()
    const name = (++this.#last).toString(36)
    const onOver = (stream: Stream): void => this.#retire(stream)
    const stream = new Stream({ ...this.#options, tag: this.#tag, name, standing, onOver })
    this.#streams.add(stream)
    stream.open(reply, headers, first)
    return stream
  }

  async resume(eventId: string, reply: HttpReply): Promise<void> {
    const [, session, name = '', position = ''] = EVENT_ID.exec(eventId.slice(0, MAX_EVENT_ID)) ?? []
    if (session === undefined) throw refuse(400, 'Bad request: this is no event id of this server')
    const stream = session === this.#tag ? this.#streams.get(name) : undefined
    if (!stream) throw refuse(404, 'Not found: there is no such event')
    this.#streams.returned(stream)
    try {
      await stream.resume(reply, position)
    } catch (error) {
      throw error instanceof UnknownPosition ? refuse(404, 'Not found: there is no such event') : error
    } finally {
      if (stream.over) this.#retire(stream)
    }
  }

  tell(message: Message): void | Promise<void> {
    return this.#streams.tell(message)
  }

  drain(): void {
    this.#streams.drain()
  }

  close(): void {
    for (const stream of this.#streams.list()) this.#streams.forget(stream)
  }

  #retire(stream: Stream): void {
    if (this.#options.log) this.#streams.retire(stream)
    else this.#streams.forget(stream)
  }
}
