import { isObject, type JsonObject, type Request, type RequestId } from '../../../jsonrpc/message.ts'
import type { SessionState } from '../../../legacy/handshake.ts'

/** A session as it rests in the store. */
export interface SessionRecord {
  readonly kind: 'header' | 'query'
  /** Whom it belongs to; nobody else finds it. */
  readonly principal?: string | undefined
  /** What the ids of its events begin with. */
  readonly tag: string
  readonly state: SessionState
  /** Who tells its client of changes; of the first HTTP transport, whose stream it lives on. */
  teller?: string | undefined
  /** When it was last heard of, in milliseconds since 1970 as the node saw it that heard. Only for who makes room. */
  heard: number
  /** It had something running then. */
  busy?: boolean | undefined
}

/** A stream as it rests in the store. Its events are in logs, one for each owner who wrote it. */
export interface StreamRecord {
  /** Who writes it. */
  readonly writer: string
  /** Who sends it to the client. */
  readonly reader: string
  /** The last position that counts of each earlier writer's log; empty when nothing in it does. What came later was written by a dead hand. */
  readonly earlier: readonly string[]
  /** It belongs to no request. */
  readonly standing: boolean
  /** The requests that are answered on it. */
  readonly requests: readonly RequestId[]
  /** Its request, when it may be run again. */
  readonly repeat?: Request | undefined
}

const ROOT = 'http'

/** Where everything rests. */
export const Key: {
  readonly sessions: string
  session(id: string): string
  /** The sessions of one owner, named by a digest of the principal. */
  owned(owner: string): string
  streams(session: string): string
  stream(session: string, name: string): string
  /** The log of the writer with this number. */
  log(session: string, name: string, writer: number): string
  node(name: string): string
  /** Where one node is told something. */
  toNode(name: string): string
  /** Where all are. */
  readonly toAll: string
} = {
  sessions: `${ROOT}/session/`,
  session: (id) => `${ROOT}/session/${id}`,
  owned: (owner) => `${ROOT}/owner/${owner}/`,
  streams: (session) => `${ROOT}/stream/${session}/`,
  stream: (session, name) => `${ROOT}/stream/${session}/${name}`,
  log: (session, name, writer) => `${ROOT}/log/${session}/${name}/${writer}`,
  node: (name) => `${ROOT}/node/${name}`,
  toNode: (name) => `${ROOT}/to/${name}`,
  toAll: `${ROOT}/to`,
}

/** Reads a record; what is none reads as absent. */
export function readRecord<T extends SessionRecord | StreamRecord>(text: string | undefined): T | undefined {
  if (text === undefined) return undefined
  const value: unknown = JSON.parse(text)
  return isRecord<T>(value) ? value : undefined
}

function isRecord<T>(value: unknown): value is T & JsonObject {
  return isObject(value)
}
