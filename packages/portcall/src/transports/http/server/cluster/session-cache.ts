import { createKeyedMutex, createSingleFlight } from '../../../../../../util/src/async.ts'
import { createIdleTimers, type IdleTimers } from '../../../../../../util/src/idle-timers.ts'
import type { Auth } from '../../../../jsonrpc/exchange.ts'
import type { StateChange } from '../../../../legacy/server/session-state.ts'
import { HttpError, httpError } from '../http-error.ts'
import type { SessionTransport } from '../sessions/session-backend.ts'
import { ClusterSession } from './cluster-session.ts'
import type { ClusterNode } from './node.ts'
import type { SessionRecord } from './records.ts'
import { createSessionStore, type SessionStore, type StoredSession } from './session-store.ts'
import { deleteStreams } from './stream-logs.ts'

export interface SessionCacheListeners {
  /** Called when no client reads a standalone stream of a session on this node any more. */
  onListenersGone(session: ClusterSession): void
  /** Called at intervals for each session that is busy on this node. */
  onBusy(session: ClusterSession): Promise<void>
}

/** After this part of the idle timeout without use, a session leaves the cache, or its use is recorded if it is busy. */
const CACHE_LIFETIME = 1 / 4
/** The use of a session is recorded at most this many times within the idle timeout. */
const TOUCHES_PER_TIMEOUT = 10
/** A session that was not compared with the store for longer is compared before it is used. */
const MAX_AGE_MS = 5000

/** The sessions that this node uses. All sessions are in the store, and every node can load them. */
export class SessionCache {
  readonly store: SessionStore
  listeners: SessionCacheListeners | undefined
  readonly #node: ClusterNode
  readonly #sessions = new Map<string, ClusterSession>()
  readonly #loads = createSingleFlight<ClusterSession | undefined>()
  /** Serializes reads and writes of a session, so that a record that was read before a write does not replace the written one. */
  readonly #mutex = createKeyedMutex()
  readonly #timers: IdleTimers<ClusterSession>

  constructor(node: ClusterNode) {
    const { limits } = node.endpoint
    this.#node = node
    this.#timers = createIdleTimers<ClusterSession>(limits.sessionIdleTimeoutMs * CACHE_LIFETIME, (session) =>
      this.#expire(session),
    )
    this.store = createSessionStore({
      store: node.stores.store,
      limits,
      isBusy: (id) => this.get(id)?.isBusy === true,
      onDeleted: async (id) => {
        await this.forget(id)
        await deleteStreams(node.stores, id)
        await node.rpc.broadcast('sessionEnded', { session: id })
      },
    })
  }

  /** Adds a session, and removes idle ones if there are more than `maxSessions`. They can be loaded again. */
  add(id: string, stored: StoredSession, auth: Auth | undefined): ClusterSession {
    const session = new ClusterSession(this.#node, {
      id,
      stored,
      auth,
      commit: (changed, change) => this.commitState(changed, change),
      onListenersGone: (unread) => this.listeners?.onListenersGone(unread),
    })
    this.#sessions.set(id, session)
    this.#timers.touch(session)
    this.#evictIdle()
    return session
  }

  /** Returns a session of the caller. Loads it if necessary. @throws HttpError 404, 503. */
  async find(id: string, transport: SessionTransport, auth: Auth | undefined): Promise<ClusterSession> {
    const session = this.get(id) ?? (await this.#loads.run(JSON.stringify([id, auth?.principal]), () => this.#load(id, auth)))
    const record = session?.stored.record
    if (!session || record?.transport !== transport || record.principal !== auth?.principal) throw notFound()
    this.#timers.touch(session)
    await this.#checkAge(session)
    return this.get(id) === session ? session : this.find(id, transport, auth)
  }

  get(id: unknown): ClusterSession | undefined {
    return this.#sessions.get(String(id))
  }

  list(): ClusterSession[] {
    return [...this.#sessions.values()]
  }

  /** Removes a session from the cache and closes its part on this node. */
  remove(session: ClusterSession): void {
    if (this.get(session.id) !== session) return
    this.#sessions.delete(session.id)
    this.#timers.remove(session)
    session.close()
  }

  /** Removes a session that has ended. Returns whether this node was still writing a stream of it; resolves when it does no more. */
  async forget(id: string): Promise<boolean> {
    const session = this.get(id)
    if (!session) return false
    this.remove(session)
    return session.logs.whenReleased()
  }

  /** Compares a session with the store before its next use. */
  invalidate(id: unknown): void {
    const session = this.get(id)
    if (session) session.checkedAt = Number.NEGATIVE_INFINITY
  }

  /** Changes the record of a session. @throws HttpError 404 if the session has ended, 503. */
  update(session: ClusterSession, change: (record: SessionRecord) => void): Promise<void> {
    return this.#mutex.run(session.id, async () => {
      this.#adopt(session, await this.store.update(session.id, session.stored, change))
      session.touchedAt = performance.now()
    })
  }

  /** Changes the state of a session. Resolves when the notifier has applied its subscriptions. */
  async commitState(session: ClusterSession, change: StateChange): Promise<void> {
    const { rpc, lease } = this.#node
    await this.update(session, ({ state }) => change(state))
    await rpc.broadcast('stateChanged', { session: session.id })
    const { notifier } = session.stored.record
    if (notifier === undefined) return
    // This node may have become the notifier since the change was checked.
    if (lease.isOwn(notifier)) await session.legacy.syncSubscriptions()
    else await rpc.request(notifier, 'syncSubscriptions', { session: session.id })
  }

  /** Compares a session with the store. @throws HttpError 404 if it has ended, 503. */
  refresh(session: ClusterSession): Promise<void> {
    return this.#mutex.run(session.id, async () => this.#adopt(session, await this.store.read(session.id)))
  }

  stop(): void {
    for (const session of this.list()) this.remove(session)
    this.#timers.stop()
  }

  async #load(id: string, auth: Auth | undefined): Promise<ClusterSession | undefined> {
    const stored = await this.store.read(id)
    if (!stored || stored.record.principal !== auth?.principal) return undefined
    return this.get(id) ?? this.add(id, stored, auth)
  }

  #evictIdle(): void {
    let excess = this.#sessions.size - this.#node.endpoint.limits.maxSessions
    if (excess <= 0) return
    for (const session of this.#sessions.values()) {
      if (session.isBusy) continue
      this.remove(session)
      if (--excess === 0) return
    }
  }

  #expire(session: ClusterSession): void {
    if (!session.isBusy) return this.remove(session)
    this.#timers.touch(session)
    this.#touch(session)
      .then(() => this.listeners?.onBusy(session))
      .catch(() => {})
  }

  /** Records that a session is in use, and extends the lifetime of its streams. */
  async #touch(session: ClusterSession): Promise<void> {
    session.touchedAt = performance.now()
    await this.update(session, (record) => Object.assign(record, { lastUsedAt: Date.now(), isBusy: session.isBusy }))
    await session.logs.touch()
  }

  /** Compares a session with the store if that was long ago. Ignores failures of the store. @throws HttpError 404. */
  async #checkAge(session: ClusterSession): Promise<void> {
    const { sessionIdleTimeoutMs } = this.#node.endpoint.limits
    const now = performance.now()
    try {
      if (now - session.touchedAt > sessionIdleTimeoutMs / TOUCHES_PER_TIMEOUT) await this.#touch(session)
      else if (now - session.checkedAt > MAX_AGE_MS) await this.refresh(session)
    } catch (error) {
      if (!(error instanceof HttpError && error.status === 503)) throw error
    }
  }

  /** Applies what was read from the store. @throws HttpError 404 if the session has ended. */
  #adopt(session: ClusterSession, stored: StoredSession | undefined): void {
    if (!stored) {
      this.remove(session)
      throw notFound()
    }
    const { legacy } = session
    const { state, notifier } = stored.record
    session.stored = stored
    session.checkedAt = performance.now()
    Object.assign(legacy.state, state)
    const isNotifier = notifier !== undefined && this.#node.lease.isOwn(notifier)
    // A new notifier asks this node to step down when it listens itself.
    if (!isNotifier && !session.streams.hasListener) legacy.stopListening()
    // The node may have become the notifier by a write that seemed to fail.
    if (isNotifier && session.streams.hasListener) void legacy.listen()
  }
}

function notFound(): HttpError {
  return httpError(404, 'Session not found')
}
