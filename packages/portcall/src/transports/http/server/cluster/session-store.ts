import type { Auth } from '../../../../jsonrpc/exchange.ts'
import type { KeyValueStore } from '../../../../stores/store.ts'
import { sha256 } from '../../../../util/digest.ts'
import { randomId } from '../../../../util/random.ts'
import { type HttpError, httpError } from '../http-error.ts'
import type { HttpLimits } from '../limits.ts'
import { keys, parseRecord, type SessionRecord } from './records.ts'

/** A session record, and the text it was parsed from: the expected value of the next compare-and-set. */
export interface StoredSession {
  readonly record: SessionRecord
  readonly text: string
}

/** The session records of all nodes. A record expires when it is not written for `sessionIdleTimeoutMs`. */
export interface SessionStore {
  /**
   * Ends sessions that have been idle longest until the limits allow one more session.
   *
   * @throws HttpError 503, or 429 if the principal has too many sessions.
   */
  makeRoom(auth: Auth | undefined): Promise<void>
  add(id: string, record: SessionRecord): Promise<StoredSession>
  read(id: string): Promise<StoredSession | undefined>
  /**
   * Changes a record and extends its lifetime. `change` runs again if another node changes the record at the same time. Returns undefined if
   * the session has ended.
   *
   * @throws HttpError 503 after too many conflicts.
   */
  update(id: string, known: StoredSession, change: (record: SessionRecord) => void): Promise<StoredSession | undefined>
  /** Deletes a record, and then calls `onDeleted`. */
  delete(id: string, principal: string | undefined): Promise<void>
}

export interface SessionStoreOptions {
  readonly store: KeyValueStore
  readonly limits: HttpLimits
  /** Reports whether a session is busy on this node. */
  readonly isBusy: (id: string) => boolean
  readonly onDeleted: (id: string) => Promise<void>
}

const MAX_ATTEMPTS = 20
/** The number of sessions among which the one that has been idle longest is chosen. */
const SAMPLE_SIZE = 64
/** Sessions are counted at most once per interval while there is room for this many more. */
const AMPLE_ROOM = 1000
const COUNT_INTERVAL_MS = 1000
/** The part of the idle timeout for which a record with `isBusy` is believed. Nodes refresh it twice as often. */
const BUSY_VALIDITY = 0.5

export function createSessionStore({ store, limits, isBusy, onDeleted }: SessionStoreOptions): SessionStore {
  const { maxSessions, maxPrincipalSessions, sessionIdleTimeoutMs: ttlMs } = limits
  let lastCount = { count: Infinity, at: -Infinity }

  const ownedPrefix = async (principal: string): Promise<string> => keys.ownedSessions(await sha256(principal))
  const read = async (id: string): Promise<StoredSession | undefined> => {
    const text = await store.get(keys.session(id))
    const record = parseRecord<SessionRecord>(text)
    return record && text !== undefined ? { record, text } : undefined
  }
  const writeOwner = async (id: string, { principal }: SessionRecord): Promise<void> => {
    if (principal !== undefined) await store.set((await ownedPrefix(principal)) + id, '', { ttlMs })
  }
  const deleteSession = async (id: string, principal: string | undefined): Promise<void> => {
    await store.delete(keys.session(id))
    if (principal !== undefined) await store.delete((await ownedPrefix(principal)) + id)
    await onDeleted(id)
  }
  const evictOneOf = async (ids: readonly string[], refusal: HttpError): Promise<void> => {
    const candidates = await Promise.all(ids.map(async (id) => ({ id, stored: await read(id) })))
    const isEvictable = (id: string, record: SessionRecord): boolean =>
      !isBusy(id) && !(record.isBusy && Date.now() - record.lastUsedAt < ttlMs * BUSY_VALIDITY)
    const idle = candidates.flatMap(({ id, stored }) =>
      stored && isEvictable(id, stored.record) ? [{ id, ...stored.record }] : [],
    )
    const [oldest] = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt)
    if (!oldest) throw refusal
    await deleteSession(oldest.id, oldest.principal)
  }
  const countAll = async (): Promise<number> => {
    const now = performance.now()
    if (lastCount.count + AMPLE_ROOM < maxSessions && now - lastCount.at < COUNT_INTERVAL_MS) return ++lastCount.count
    lastCount = { count: await store.count(keys.sessions), at: now }
    return lastCount.count
  }

  return {
    read,
    delete: deleteSession,
    async makeRoom(auth) {
      if (auth) {
        const prefix = await ownedPrefix(auth.principal)
        const owned = await store.list(prefix, { limit: maxPrincipalSessions })
        const ids = owned.map((key) => key.slice(prefix.length))
        if (ids.length >= maxPrincipalSessions) await evictOneOf(ids, httpError(429, 'Too many sessions'))
      }
      if ((await countAll()) < maxSessions) return
      await evictOneOf(await sampleIds(store), httpError(503, 'Too many sessions', { 'retry-after': '60' }))
    },
    async add(id, record) {
      const text = JSON.stringify(record)
      await Promise.all([store.set(keys.session(id), text, { ttlMs }), writeOwner(id, record)])
      return { record, text }
    },
    async update(id, known, change) {
      let current: StoredSession | undefined = known
      for (let attempt = 0; current && attempt < MAX_ATTEMPTS; attempt++) {
        const record: SessionRecord = JSON.parse(current.text)
        change(record)
        const text = JSON.stringify(record)
        if (await store.compareAndSet(keys.session(id), { expected: current.text, value: text, ttlMs })) {
          await writeOwner(id, record)
          return { record, text }
        }
        current = await read(id)
      }
      if (current) throw httpError(503, 'The session is changed too often: try again later', { 'retry-after': '1' })
      return undefined
    },
  }
}

/** Returns the ids of some sessions. Ids are random, so the ones that follow a random id are a random sample. */
async function sampleIds(store: KeyValueStore): Promise<string[]> {
  const following = await store.list(keys.sessions, { after: keys.session(randomId()), limit: SAMPLE_SIZE })
  const first = following.length < SAMPLE_SIZE ? await store.list(keys.sessions, { limit: SAMPLE_SIZE }) : []
  return [...new Set([...following, ...first])].map((key) => key.slice(keys.sessions.length))
}
