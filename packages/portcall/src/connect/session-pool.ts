import { createIdleTimers } from '../../../util/src/idle-timers.ts'
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Request, Response } from '../jsonrpc/message.ts'
import { completeResponse } from '../protocol/resource-contents.ts'
import type { ClientCapabilities } from '../protocol/types.ts'
import type { ReconnectingConnection } from './reconnect.ts'

export interface SessionPoolOptions {
  /** Opens a connection for clients with these capabilities. The signal is aborted when the pool is closed. */
  readonly open: (capabilities: ClientCapabilities, signal: AbortSignal) => Promise<ReconnectingConnection>
  /** Maximum number of sessions. Beyond that, the session that was used least recently and is not in use is closed. */
  readonly maxSessions: number
  /** Maximum number of sessions that one principal opens with different capabilities. */
  readonly maxOwnedSessions: number
  /** Time after which an unused session is closed, in milliseconds. */
  readonly idleTimeoutMs: number
  /** Keeps the session that was opened first. */
  readonly keepsFirst: boolean
}

/** A session with a server. */
export interface PooledSession {
  readonly key: string
  readonly opening: Promise<ReconnectingConnection>
  /** Present once the session is open. */
  readonly connection: ReconnectingConnection | undefined
}

/** The sessions with one server, by what their clients declare. */
export interface SessionPool {
  readonly size: number
  /** Returns the session of a key. One whose connection was lost since its last use is closed. */
  find(key: string): PooledSession | undefined
  /** Opens a session for a principal. @throws RpcError if the principal has its share of sessions, and uses all of them. */
  start(key: string, capabilities: ClientCapabilities, owner: string | undefined): PooledSession
  /** Changes the keys of all sessions. `keyOf` returns the key of a session that declares these capabilities. */
  rename(keyOf: (declared: ClientCapabilities) => string): void
  /** Sends a request in a session, which stays open until the response. */
  send(session: PooledSession, request: Request, context: ExchangeContext): Promise<Response>
  close(reason: Error): Promise<void>
}

interface Entry {
  key: string
  readonly capabilities: ClientCapabilities
  readonly opening: Promise<ReconnectingConnection>
  connection: ReconnectingConnection | undefined
  /** The principal that opened it. */
  readonly owner: string | undefined
  inFlight: number
  /** The number of its last use. */
  lastUse: number
  isEvicted: boolean
}

const TOO_MANY = 'Too many sessions with different client capabilities are in use'

export function createSessionPool(options: SessionPoolOptions): SessionPool {
  const { open, maxSessions, maxOwnedSessions, idleTimeoutMs, keepsFirst } = options
  const entries = new Map<string, Entry>()
  const idle = idleTimeoutMs === Infinity ? undefined : createIdleTimers<Entry>(idleTimeoutMs, (entry) => closeIfIdle(entry))
  const closing = new AbortController()
  let uses = 0

  const closeEntry = (entry: Entry): void => {
    idle?.remove(entry)
    void entry.opening.then((connection) => connection.close()).catch(() => {})
  }
  /** Uses an entry for no further request. It is closed after its last response. */
  const evict = (entry: Entry): void => {
    if (entries.get(entry.key) === entry) entries.delete(entry.key)
    entry.isEvicted = true
    if (entry.inFlight === 0) closeEntry(entry)
  }
  const closeIfIdle = (entry: Entry): void => {
    const [first] = entries.values()
    if (entry.inFlight > 0 || (keepsFirst && entry === first)) idle?.touch(entry)
    else evict(entry)
  }
  const makeRoom = (owner: string | undefined): void => {
    const all = [...entries.values()]
    const owned = all.filter((entry) => entry.owner === owner)
    if (owned.length >= maxOwnedSessions && !evictOne(owned, evict))
      throw new RpcError(ErrorCode.internalError, TOO_MANY, { limit: maxOwnedSessions })
    if (entries.size >= maxSessions) evictOne(all, evict)
  }

  return {
    get size() {
      return entries.size
    },
    find(key) {
      const entry = entries.get(key)
      if (!entry?.connection || entry.connection.status === 'connected') return entry
      evict(entry)
      return undefined
    },
    start(key, capabilities, owner) {
      makeRoom(owner)
      const opening = open(capabilities, closing.signal)
      const entry: Entry = {
        key,
        capabilities,
        opening,
        connection: undefined,
        owner,
        inFlight: 0,
        lastUse: ++uses,
        isEvicted: false,
      }
      entries.set(key, entry)
      opening.then(
        (connection) => void (entry.connection = connection),
        () => evict(entry),
      )
      return entry
    },
    rename(keyOf) {
      const all = [...entries.values()]
      entries.clear()
      for (const entry of all) {
        entry.key = keyOf(entry.capabilities)
        const other = entries.get(entry.key)
        if (other) evict(entry)
        else entries.set(entry.key, entry)
      }
    },
    async send(session, request, context) {
      const entry = session as Entry
      entry.inFlight++
      entry.lastUse = ++uses
      try {
        const connection = entry.connection ?? (await entry.opening)
        return completeResponse(request.method, await connection.exchange(request, context))
      } finally {
        entry.inFlight--
        if (entry.connection && entry.connection.status !== 'connected' && !entry.isEvicted) evict(entry)
        else if (entry.isEvicted && entry.inFlight === 0) closeEntry(entry)
        else idle?.touch(entry)
      }
    },
    async close(reason) {
      idle?.stop()
      closing.abort(reason)
      const closed = [...entries.values()].map(({ opening }) => opening.then((connection) => connection.close()))
      entries.clear()
      await Promise.allSettled(closed)
    },
  }
}

/** Evicts the entry that was used least recently and is not in use. Returns false if all are in use. */
function evictOne(entries: readonly Entry[], evict: (entry: Entry) => void): boolean {
  const [oldest] = entries.filter(({ inFlight }) => inFlight === 0).sort((a, b) => a.lastUse - b.lastUse)
  if (oldest) evict(oldest)
  return oldest !== undefined
}
