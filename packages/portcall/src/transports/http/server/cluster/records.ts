/** The data that the nodes of a cluster store about sessions and streams, and under which keys. */
import { isObject, type JsonObject, type Request, type RequestId } from '../../../../jsonrpc/message.ts'
import type { SessionState } from '../../../../legacy/server/session-state.ts'
import type { SessionTransport } from '../sessions/session-backend.ts'

/** A session in the store. */
export interface SessionRecord {
  readonly transport: SessionTransport
  /** The owner. Nobody else can find the session. */
  readonly principal?: string | undefined
  readonly eventIdPrefix: string
  readonly state: SessionState
  /** The node that sends change notifications to the client. For HTTP+SSE: the node that has the stream. */
  notifier?: string | undefined
  /** The time of the last recorded use, by the clock of the node that recorded it. Only used to choose the session to evict. */
  lastUsedAt: number
  /** True if the session was busy at that time. */
  isBusy?: boolean | undefined
}

/** A stream in the store. Its events are in logs, one for each owner that has written it. */
export interface StreamRecord {
  /** The owner that writes the stream. */
  readonly writer: string
  /** The owner that sends the stream to the client. */
  readonly reader: string
  /**
   * The last valid position in the log of each earlier writer, or an empty string if nothing in that log is valid. Entries after that
   * position were written by a node that had lost its lease, and are ignored.
   */
  readonly earlierLogEnds: readonly string[]
  /** True if the stream belongs to no request. */
  readonly isStandalone: boolean
  /** The requests that are answered on the stream. */
  readonly requestIds: readonly RequestId[]
  /** The request of the stream, if it may be run again. */
  readonly rerunnable?: Request | undefined
}

/** The start of all keys, and of the topics of the nodes. */
export const ROOT = 'http'

/** The keys that the nodes share. */
export const keys: {
  /** The prefix of all sessions. */
  readonly sessions: string
  session(id: string): string
  /** The prefix of the sessions of one owner. The owner is a digest of the principal. */
  ownedSessions(owner: string): string
  /** The prefix of the streams of a session. */
  streams(session: string): string
  stream(session: string, name: string): string
  /** The log of a stream that its first, second, … writer has written. */
  log(session: string, name: string, writerIndex: number): string
} = {
  sessions: `${ROOT}/session/`,
  session: (id) => `${ROOT}/session/${id}`,
  ownedSessions: (owner) => `${ROOT}/owner/${owner}/`,
  streams: (session) => `${ROOT}/stream/${session}/`,
  stream: (session, name) => `${ROOT}/stream/${session}/${name}`,
  log: (session, name, writerIndex) => `${ROOT}/log/${session}/${name}/${writerIndex}`,
}

/** Parses a record. Returns undefined if there is none. */
export function parseRecord<T extends SessionRecord | StreamRecord>(text: string | undefined): T | undefined {
  if (text === undefined) return undefined
  const value: unknown = JSON.parse(text)
  return isRecord<T>(value) ? value : undefined
}

function isRecord<T>(value: unknown): value is T & JsonObject {
  return isObject(value)
}
