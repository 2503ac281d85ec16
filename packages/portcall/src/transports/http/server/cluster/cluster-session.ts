import type { Auth } from '../../../../jsonrpc/exchange.ts'
import type { LegacySession } from '../../../../legacy/server/session.ts'
import type { StateChange } from '../../../../legacy/server/session-state.ts'
import { ResumableStreams } from '../sessions/resumable-streams.ts'
import { HttpSession } from '../sessions/session.ts'
import type { SessionEntry } from '../sessions/session-backend.ts'
import type { ClusterNode } from './node.ts'
import type { StoredSession } from './session-store.ts'
import { StreamLogs } from './stream-logs.ts'

/** Sends a stream that another node writes to a client of this node. */
export interface StreamTail {
  readonly isClosed: boolean
  /** Reads and sends new events, if there are any. */
  pull(): void
  /** Disconnects the client, which then resumes the stream. */
  end(): void
  /** Calls `listener` once when the connection is closed. */
  onClose(listener: () => void): void
}

export interface ClusterSessionOptions {
  readonly id: string
  readonly stored: StoredSession
  readonly auth: Auth | undefined
  /** See `LegacySessionOptions`. */
  commit(session: ClusterSession, change: StateChange): Promise<void>
  /** Called when no client reads a standalone stream of the session on this node any more. */
  onListenersGone(session: ClusterSession): void
}

/** The part of a stored session that is on this node: its running requests and open streams. */
export class ClusterSession implements SessionEntry {
  readonly id: string
  readonly session: HttpSession
  /** The streams that this node writes. */
  readonly streams: ResumableStreams
  readonly logs: StreamLogs
  /** Streams that other nodes write and clients read here, by name. */
  readonly tails: Map<string, StreamTail> = new Map()
  /** The record when it was last read or written. */
  stored: StoredSession
  /** When `stored` was last compared with the store, in the time of `performance.now`. */
  checkedAt: number = performance.now()
  /** When this node last recorded a use in the store, in the time of `performance.now`. */
  touchedAt: number = Number.NEGATIVE_INFINITY

  constructor(node: ClusterNode, { id, stored, auth, commit, onListenersGone }: ClusterSessionOptions) {
    const { endpoint, lease, rpc } = node
    const { transport, eventIdPrefix, state } = stored.record
    const isResumable = transport === 'streamable-http'
    this.id = id
    this.stored = stored
    this.logs = new StreamLogs(node, id, {
      isConnected: (name) => this.streams.get(name)?.isConnected === true,
      onAppended: (name, reader) => {
        if (reader === lease.owner) this.tails.get(name)?.pull()
        else rpc.notify(reader, 'streamAppended', { session: id, name })
      },
    })
    this.session = new HttpSession({
      endpoint,
      auth,
      state: structuredClone(state),
      notify: (message) => this.streams.send(message),
      commit: (change) => commit(this, change),
      nextId: () => node.nextRequestId(),
    })
    this.streams = new ResumableStreams({
      endpoint,
      log: isResumable ? this.logs : null,
      key: '',
      eventIdPrefix,
      canPoll: () => this.legacy.revision.http.polling,
      nextName: () => node.nextStreamName(),
      onOpen: (name, requests) => {
        if (isResumable) this.logs.create(name, requests)
      },
      onInactive: ({ name, isStandalone }) => {
        if (!isStandalone) this.logs.end(name)
        else if (!this.streams.hasListener) onListenersGone(this)
      },
    })
  }

  get legacy(): LegacySession {
    return this.session.legacy
  }

  /** True if a request of the session runs on this node, or a client reads a stream here. */
  get isBusy(): boolean {
    return this.session.isWorking || this.streams.isConnected || this.tails.size > 0
  }

  /** Closes a stream that another node continues. */
  abandonStream(name: string): void {
    const stream = this.streams.get(name)
    if (!stream) return
    this.streams.remove(stream)
    this.logs.release(name)
  }

  /** Disconnects all streams that other nodes may take over. */
  disconnectStoredStreams(): void {
    for (const stream of this.streams.list()) if (this.logs.isStored(stream.name)) stream.disconnect()
    for (const tail of this.tails.values()) tail.end()
  }

  /** Cancels the requests and closes the streams on this node. The session and its logs stay in the stores. */
  close(): void {
    this.session.close()
    for (const { name } of this.streams.list()) this.abandonStream(name)
    for (const tail of this.tails.values()) tail.end()
  }
}
