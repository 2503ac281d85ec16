import type { Message } from '../../../jsonrpc/message.ts'
import type { Revision } from '../../../protocol/revisions.ts'
import type { Endpoint } from '../endpoint.ts'
import type { FlatHeaders } from '../headers.ts'
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
  /** What the names of streams begin with; no two processes may have the same. */
  readonly node: string
  readonly revision: () => Revision
}

const NO_REQUEST: StreamStart = { standing: true, requests: [] }

/** Keeps the streams of a session that this process writes. */
export function createSharedReplay({ endpoint, ledger, tag, node, revision }: SharedReplayOptions): SharedReplay {
  const streams = new Map<string, Stream>()
  const retired = new Set<Stream>()
  let last = 0

  const forget = (stream: Stream): void => {
    retired.delete(stream)
    streams.delete(stream.name)
    stream.erase()
  }
  const retire = (stream: Stream): void => {
    if (streams.get(stream.name) !== stream) return
    if (!stream.standing) ledger?.seal(stream.name)
    retired.add(stream)
    for (const oldest of retired) {
      if (retired.size <= endpoint.limits.maxEndedStreams) return
      forget(oldest)
    }
  }
  const create = (name: string, standing: boolean): Stream => {
    const polling = (): boolean => revision().http.polling
    const stream = new Stream({ endpoint, log: ledger, key: '', polling, tag, name, standing, onOver: retire })
    streams.set(name, stream)
    return stream
  }
  const standing = (): Stream[] => [...streams.values()].filter((stream) => stream.standing)

  return {
    get connected() {
      return [...streams.values()].some(({ connected }) => connected)
    },
    begin(reply, { start = NO_REQUEST, headers, first } = {}) {
      const connected = start.standing ? standing().filter(({ connected }) => connected) : []
      if (connected.length >= endpoint.limits.maxSessionStreams) connected[0]?.leave()
      const name = `${node}-${(++last).toString(36)}`
      ledger?.begin(name, start)
      const stream = create(name, start.standing)
      stream.open(reply, headers, first)
      return stream
    },
    get: (name) => streams.get(name),
    adopt(name, isStanding, until) {
      const stream = create(name, isStanding)
      stream.hold(until)
      return stream
    },
    abandon(name) {
      const stream = streams.get(name)
      if (!stream) return
      streams.delete(name)
      retired.delete(stream)
      ledger?.drop(name)
      stream.leave()
    },
    tell(message) {
      const all = standing()
      return (all.findLast(({ connected }) => connected) ?? all.at(-1))?.send(message)
    },
    returned: (stream) => void retired.delete(stream),
    lose() {
      for (const stream of streams.values()) if (ledger?.isKept(stream.name)) stream.leave()
    },
    drain() {
      for (const stream of standing()) stream.leave()
    },
    close() {
      for (const stream of streams.values()) {
        ledger?.drop(stream.name)
        stream.leave()
      }
      streams.clear()
      retired.clear()
    },
  }
}
