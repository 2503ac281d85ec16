import type { Auth } from '../../../jsonrpc/exchange.ts'
import { digest } from '../../../stores/seal.ts'
import type { Store } from '../../../stores/store.ts'
import { type HttpError, refuse } from '../http-error.ts'
import type { HttpLimits } from '../limits.ts'
import { Key, readRecord, type SessionRecord } from './records.ts'

/** A session as it was found in the store: the record, and the text that it was read from. */
export interface Page {
  readonly record: SessionRecord
  readonly text: string
}

/** The sessions of all processes, as they rest in the store. What is not touched for `sessionIdleMs` is gone. */
export interface Book {
  /** Makes room for one more, over all processes. @throws HttpError 503, or 429 when it is the principal who has too many. */
  makeRoom(auth: Auth | undefined): Promise<void>
  add(id: string, record: SessionRecord): Promise<Page>
  read(id: string): Promise<Page | undefined>
  /** Changes a session, whoever else does so at the same time, and lets it live on. Gives nothing when it is gone. */
  change(id: string, known: Page, change: (record: SessionRecord) => void): Promise<Page | undefined>
  /** Ends a session, and its streams. */
  remove(id: string, principal: string | undefined): Promise<void>
}

export interface BookOptions {
  readonly store: Store
  readonly limits: HttpLimits
  /** Whether something of a session runs in this process. */
  readonly isBusy: (id: string) => boolean
  /** Ends the streams of a session that is removed, and tells the other processes. */
  readonly onRemoved: (id: string) => Promise<void>
}

const MAX_TRIES = 20
/** How many sessions are looked at to find one that has been quiet long. */
const SAMPLE = 64
/** While there is room for so many more, the sessions are counted only once in a while. */
const AMPLE = 1000
const COUNT_MS = 1000
/** For this part of its life a session that was busy is taken for busy: who has something of it running says so twice as often. */
const BUSY = 0.5

/** Opens the book. */
export function createBook({ store, limits, isBusy, onRemoved }: BookOptions): Book {
  const { maxSessions, maxPrincipalSessions, sessionIdleMs: ttlMs } = limits
  let counted = { number: Infinity, at: -Infinity }

  const owned = async (principal: string): Promise<string> => Key.owned(await digest(principal))
  const read = async (id: string): Promise<Page | undefined> => {
    const text = await store.get(Key.session(id))
    const record = readRecord<SessionRecord>(text)
    return record && text !== undefined ? { record, text } : undefined
  }
  const note = async (id: string, { principal }: SessionRecord): Promise<void> => {
    if (principal !== undefined) await store.set((await owned(principal)) + id, '', { ttlMs })
  }
  const remove = async (id: string, principal: string | undefined): Promise<void> => {
    await store.delete(Key.session(id))
    if (principal !== undefined) await store.delete((await owned(principal)) + id)
    await onRemoved(id)
  }
  const evict = async (ids: readonly string[], refusal: HttpError): Promise<void> => {
    const pages = await Promise.all(ids.map(async (id) => ({ id, page: await read(id) })))
    const mayGo = (id: string, { busy, heard }: SessionRecord): boolean =>
      !isBusy(id) && !(busy && Date.now() - heard < ttlMs * BUSY)
    const quiet = pages.flatMap(({ id, page }) => (page && mayGo(id, page.record) ? [{ id, ...page.record }] : []))
    const [first] = quiet.sort((a, b) => a.heard - b.heard)
    if (!first) throw refusal
    await remove(first.id, first.principal)
  }
  const countAll = async (): Promise<number> => {
    const now = performance.now()
    if (counted.number + AMPLE < maxSessions && now - counted.at < COUNT_MS) return ++counted.number
    counted = { number: await store.count(Key.sessions), at: now }
    return counted.number
  }

  return {
    read,
    remove,
    async makeRoom(auth) {
      if (auth) {
        const prefix = await owned(auth.principal)
        const keys = await store.list(prefix, { limit: maxPrincipalSessions })
        const ids = keys.map((key) => key.slice(prefix.length))
        if (ids.length >= maxPrincipalSessions) await evict(ids, refuse(429, 'Too many sessions'))
      }
      if ((await countAll()) < maxSessions) return
      await evict(await sample(store), refuse(503, 'Too many sessions', { 'retry-after': '60' }))
    },
    async add(id, record) {
      const text = JSON.stringify(record)
      await Promise.all([store.set(Key.session(id), text, { ttlMs }), note(id, record)])
      return { record, text }
    },
    async change(id, known, change) {
      let page: Page | undefined = known
      for (let tries = 0; page && tries < MAX_TRIES; tries++) {
        const record: SessionRecord = JSON.parse(page.text)
        change(record)
        const text = JSON.stringify(record)
        if (await store.swap(Key.session(id), { expected: page.text, value: text, ttlMs })) {
          await note(id, record)
          return { record, text }
        }
        page = await read(id)
      }
      if (page) throw refuse(503, 'This session changes too fast', { 'retry-after': '1' })
      return undefined
    },
  }
}

/** Some sessions out of all: their ids are random, so those behind any of them are as good as drawn. */
async function sample(store: Store): Promise<string[]> {
  const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
  const start = byte.toString(16).padStart(2, '0')
  const behind = await store.list(Key.sessions, { after: Key.session(start), limit: SAMPLE })
  const keys = behind.length < SAMPLE ? [...behind, ...(await store.list(Key.sessions, { limit: SAMPLE }))] : behind
  return [...new Set(keys)].map((key) => key.slice(Key.sessions.length))
}
