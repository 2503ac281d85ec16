import type { Message } from '../../../jsonrpc/message.ts'
import type { Revision } from '../../../protocol/revisions.ts'
import type { Endpoint } from '../endpoint.ts'
import type { FlatHeaders } from '../headers.ts'
import { SessionStreams } from '../session-streams.ts'
import { Stream } from '../stream.ts'
import type { HttpReply } from '../types.ts'
import type { Ledger, StreamStart } from './ledger.ts'

/** How a stream begins. */
export interface BeginOptions {
  readonly start?: StreamStart
  readonly headers?: FlatHeaders
  /** The first event, which is not recorded. */
  readonly first?: string
}

/** The streams of one session that this process writes; what they say rests in the ledger, and outlives them. */
export interface SharedReplay {
  readonly connected: boolean
  /** Whether a client reads a standing stream. */
  readonly heard: boolean
  begin(reply: HttpReply, options?: BeginOptions): Stream
  get(name: string): Stream | undefined
  /** Goes on with a stream of another process, once it may. */
  adopt(name: string, standing: boolean, until: Promise<void>): Stream
  /** Forgets a stream that another process goes on with. */
  abandon(name: string): void
  /** Sends a message that belongs to no request: on one standing stream, the newest. Without one it is lost. */
  tell(message: Message): void | Promise<void>
  /** The client came back to a stream. */
  returned(stream: Stream): void
  /** Ends the connections of the streams that others may take over. */
  lose(): void
  /** Ends the connections of the standing streams. */
  drain(): void
  /** Ends all connections. What was said stays where it rests. */
  close(): void
}

export interface SharedReplayOptions {
  readonly endpoint: Endpoint
  /** Where events rest; nowhere, for the first HTTP transport. */
  readonly ledger: Ledger | null
  /** What event ids begin with. */
  readonly tag: string
  /** Makes the names of streams: no two that a session ever has may be the same, whichever processes serve it. */
  readonly nextName: () => string
  readonly revision: () => Revision
  /** Told when nobody reads a standing stream any more. */
  readonly onUnheard: () => void
}

const NO_REQUEST: StreamStart = { standing: true, requests: [] }

/** Keeps the streams of a session that this process writes. */
export function createSharedReplay({ endpoint, ledger, tag, ...heeds }: SharedReplayOptions): SharedReplay {
  const streams = new SessionStreams(endpoint.limits)

  const retire = (stream: Stream): void => {
    if (streams.get(stream.name) !== stream) return
    if (!stream.standing) ledger?.seal(stream.name)
    else if (!streams.heard) heeds.onUnheard()
    streams.retire(stream)
  }
  const create = (name: string, standing: boolean): Stream => {
    const polling = (): boolean => heeds.revision().http.polling
    const stream = new Stream({ endpoint, log: ledger, key: '', polling, tag, name, standing, onOver: retire })
    streams.add(stream)
    return stream
  }

  return {
    get connected() {
      return streams.connected
    },
    get heard() {
      return streams.heard
    },
    begin(reply, { start = NO_REQUEST, headers, first } = {}) {
      if (start.standing) streams.makeRoom()
      const name = heeds.nextName()
      ledger?.begin(name, start)
      const stream = create(name, start.standing)
      stream.open(reply, headers, first)
      return stream
    },
    get: (name) => streams.get(name),
    adopt(name, standing, until) {
      const stream = create(name, standing)
      stream.hold(until)
      return stream
    },
    abandon(name) {
      const stream = streams.get(name)
      if (!stream) return
      streams.remove(stream)
      ledger?.drop(name)
    },
    tell: (message) => streams.tell(message),
    returned: (stream) => streams.returned(stream),
    lose() {
      for (const stream of streams.list()) if (ledger?.isKept(stream.name)) stream.leave()
    },
    drain: () => streams.drain(),
    close() {
      for (const stream of streams.list()) {
        streams.remove(stream)
        ledger?.drop(stream.name)
      }
    },
  }
}
