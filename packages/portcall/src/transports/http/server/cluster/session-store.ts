import { sha256 } from '../../../../../../util/src/digest.ts'
import { randomId } from '../../../../../../util/src/random.ts'
import { delay } from '../../../../../../util/src/timers.ts'
import type { KeyValueStore } from '../../../../stores/store.ts'
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
   * Adds a session, and ends sessions that have been idle longest while there are more than the limits allow.
   *
   * @throws HttpError 503, or 429 if the principal has too many sessions.
   */
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

/** A limit that is exceeded. */
interface Excess {
  /** The sessions from which one is chosen to end. */
  readonly ids: readonly string[]
  /** The error if none of them can end. */
  readonly refusal: HttpError
}

const MAX_ATTEMPTS = 20
/** The number of sessions among which the one that has been idle longest is chosen. */
const SAMPLE_SIZE = 64
/** Sessions are counted once per interval while there is room for what this many processes add at the rate of this one. */
const MAX_PROCESSES = 64
const COUNT_INTERVAL_MS = 1000
/** How often a session is added again that was refused because of others that were refused at the same time. */
const MAX_RETRIES = 10
const RETRY_DELAY_MS = 50
/** The part of the idle timeout for which a record with `isBusy` is believed. Nodes refresh it twice as often. */
const BUSY_VALIDITY = 0.5

export function createSessionStore({ store, limits, isBusy, onDeleted }: SessionStoreOptions): SessionStore {
  const { maxSessions, maxPrincipalSessions, sessionIdleTimeoutMs: ttlMs } = limits
  let counted = { count: 0, added: 0, at: -Infinity }

  const ownedPrefix = async (principal: string): Promise<string> => keys.ownedSessions(await sha256(principal))
  const read = async (id: string): Promise<StoredSession | undefined> => {
    const text = await store.get(keys.session(id))
    const record = parseRecord<SessionRecord>(text)
    return record && text !== undefined ? { record, text } : undefined
  }
  const writeOwner = async (id: string, { principal }: SessionRecord): Promise<void> => {
    if (principal !== undefined) await store.set((await ownedPrefix(principal)) + id, '', { ttlMs })
  }
  const deleteRecord = async (id: string, principal: string | undefined): Promise<void> => {
    await store.delete(keys.session(id))
    if (principal !== undefined) await store.delete((await ownedPrefix(principal)) + id)
  }
  const deleteSession = async (id: string, principal: string | undefined): Promise<void> => {
    await deleteRecord(id, principal)
    await onDeleted(id)
  }
  /** Ends the session that has been idle longest. Returns false if all are busy. */
  const evictOneOf = async (ids: readonly string[]): Promise<boolean> => {
    const candidates = await Promise.all(ids.map(async (id) => ({ id, stored: await read(id) })))
    const isEvictable = (id: string, record: SessionRecord): boolean =>
      !isBusy(id) && !(record.isBusy && Date.now() - record.lastUsedAt < ttlMs * BUSY_VALIDITY)
    const idle = candidates.flatMap(({ id, stored }) =>
      stored && isEvictable(id, stored.record) ? [{ id, ...stored.record }] : [],
    )
    const [oldest] = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt)
    if (oldest) await deleteSession(oldest.id, oldest.principal)
    return oldest !== undefined
  }
  const countAll = async (): Promise<number> => {
    const now = performance.now()
    const isAmple = counted.count + counted.added * MAX_PROCESSES < maxSessions
    if (!isAmple || now - counted.at > COUNT_INTERVAL_MS) counted = { count: await store.count(keys.sessions), added: 0, at: now }
    return counted.count + counted.added
  }
  /** Returns the limit that is exceeded with `more` sessions, and sessions to choose from. */
  const findExcess = async ({ principal }: SessionRecord, more: number): Promise<Excess | undefined> => {
    if (principal !== undefined) {
      const prefix = await ownedPrefix(principal)
      const owned = await store.list(prefix, { limit: maxPrincipalSessions + 1 })
      const ids = owned.map((key) => key.slice(prefix.length))
      if (ids.length + more > maxPrincipalSessions) return { ids, refusal: httpError(429, 'Too many sessions') }
    }
    if ((await countAll()) + more <= maxSessions) return undefined
    return { ids: await sampleIds(store), refusal: httpError(503, 'Too many sessions', { 'retry-after': '60' }) }
  }
  /** Ends other sessions until the limits hold. Returns the error if they cannot. */
  const makeRoomFor = async (added: string, record: SessionRecord): Promise<HttpError | undefined> => {
    for (;;) {
      const excess = await findExcess(record, 0)
      if (!excess) return undefined
      if (!(await evictOneOf(excess.ids.filter((id) => id !== added)))) return excess.refusal
    }
  }

  return {
    read,
    delete: deleteSession,
    async add(id, record) {
      const text = JSON.stringify(record)
      for (let retries = 0; ; retries++) {
        await Promise.all([store.set(keys.session(id), text, { ttlMs }), writeOwner(id, record)])
        counted.added++
        // The limits are checked afterwards: of processes that add at the same time, at least the last one sees all sessions.
        const refusal = await makeRoomFor(id, record)
        if (!refusal) return { record, text }
        await deleteRecord(id, record.principal)
        await delay(Math.random() * RETRY_DELAY_MS)
        if (retries === MAX_RETRIES || (await findExcess(record, 1))) throw refusal
      }
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
