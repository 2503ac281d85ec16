import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isObject } from '../../../jsonrpc/message.ts'
import { listKeys } from '../../../stores/listing.ts'
import type { KeyValueStore, SetOptions } from '../../../stores/store.ts'
import { renameFile } from '../../../util/rename-file.ts'
import { delay } from '../../../util/timers.ts'

interface Entry {
  readonly value: string
  /** Milliseconds since 1970. */
  readonly expires?: number
}

type Entries = Map<string, Entry>

const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700
/** Age at which a lock is considered abandoned. A process holds it for a few milliseconds only. */
const STALE_LOCK_MS = 5000
const LOCK_TIMEOUT_MS = 20_000
const POLL_INTERVAL_MS = 5

/**
 * Creates a store in a file. A change reads the file, writes a new one and renames it, while holding a lock file. Changes that arrive meanwhile
 * are written together.
 */
export function createFileStore(path: string): KeyValueStore {
  const lockPath = `${path}.lock`
  let pending: ((entries: Entries) => void)[] = []
  let queue: Promise<void> = Promise.resolve()
  let nextFlush = queue

  const flush = async (): Promise<void> => {
    const changes = pending
    pending = []
    await withFileLock(lockPath, async () => {
      const entries = await readEntries(path)
      const before = JSON.stringify([...entries])
      for (const change of changes) change(entries)
      if (JSON.stringify([...entries]) !== before) await writeEntries(path, entries)
    })
  }
  const change = async <T>(apply: (entries: Entries) => T): Promise<T> => {
    const result = new Promise<T>((resolve) => pending.push((entries) => resolve(apply(entries))))
    if (pending.length === 1) {
      nextFlush = queue.then(flush)
      queue = nextFlush.catch(() => {})
    }
    await nextFlush
    return result
  }

  return {
    get: async (key) => (await readEntries(path)).get(key)?.value,
    set: (key, value, options) => change((entries) => void entries.set(key, toEntry(value, options))),
    delete: (key) => change((entries) => void entries.delete(key)),
    compareAndSet: (key, { expected, value, ...options }) =>
      change((entries) => {
        if (entries.get(key)?.value !== expected) return false
        if (value === undefined) entries.delete(key)
        else entries.set(key, toEntry(value, options))
        return true
      }),
    list: async (prefix, options) => listKeys((await readEntries(path)).keys(), prefix, options),
    count: async (prefix) => [...(await readEntries(path)).keys()].filter((key) => key.startsWith(prefix)).length,
  }
}

function toEntry(value: string, { ttlMs }: SetOptions = {}): Entry {
  return ttlMs === undefined ? { value } : { value, expires: Date.now() + ttlMs }
}

/** Reads the entries that have not expired. A missing file, or one with other content, has no entries. */
async function readEntries(path: string): Promise<Entries> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  const now = Date.now()
  const valid = Object.entries(parse(text)).filter(([, entry]) => isEntry(entry) && now < (entry.expires ?? Infinity))
  return new Map(valid as [string, Entry][])
}

function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const isEntry = (entry: unknown): entry is Entry => isObject(entry) && typeof entry.value === 'string'

async function writeEntries(path: string, entries: Entries): Promise<void> {
  const temporary = `${path}.${randomUUID()}`
  try {
    const file = await open(temporary, 'wx', OWNER_ONLY)
    try {
      await file.writeFile(JSON.stringify(Object.fromEntries(entries), undefined, 1))
      await file.sync()
    } finally {
      await file.close()
    }
    await chmod(temporary, OWNER_ONLY)
    await renameFile(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Runs a task while holding a lock file. @throws Error if the lock cannot be acquired in time. */
async function withFileLock<T>(lockPath: string, task: () => Promise<T>): Promise<T> {
  const owner = randomUUID()
  const startedAt = Date.now()
  while (!(await tryLock(lockPath, owner))) {
    if (Date.now() - startedAt > LOCK_TIMEOUT_MS) throw new Error(`${lockPath} is held by another process`)
    await delay(POLL_INTERVAL_MS * (1 + Math.random()))
  }
  try {
    return await task()
  } finally {
    const holder = await readFile(lockPath, 'utf8').catch(() => '')
    if (holder === owner) await rm(lockPath, { force: true })
  }
}

async function tryLock(lockPath: string, owner: string): Promise<boolean> {
  try {
    await writeFile(lockPath, owner, { flag: 'wx', mode: OWNER_ONLY })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') await mkdir(dirname(lockPath), { recursive: true, mode: OWNER_ONLY_FOLDER })
    else if (code === 'EEXIST' || code === 'EPERM') await removeStaleLock(lockPath)
    else throw error
    return false
  }
}

/** Removes an abandoned lock. Of several processes, one moves it aside. A lock that turns out to be new is restored. */
async function removeStaleLock(lockPath: string): Promise<void> {
  if ((await ageOf(lockPath)) < STALE_LOCK_MS) return
  const aside = `${lockPath}.${randomUUID()}`
  try {
    await rename(lockPath, aside)
  } catch {
    return
  }
  if ((await ageOf(aside)) < STALE_LOCK_MS) await link(aside, lockPath).catch(() => {})
  await rm(aside, { force: true })
}

/** Returns the time since a file was written in milliseconds, and 0 for a missing file. */
function ageOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
}
