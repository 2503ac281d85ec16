import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../../../jsonrpc/message.ts'
import { listKeys } from '../../../stores/listing.ts'
import type { Store, StoreOptions } from '../../../stores/store.ts'

interface Entry {
  readonly value: string
  /** Milliseconds since 1970. */
  readonly expires?: number
}

type Entries = Map<string, Entry>

const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700
/** A lock that is older was left by a process that has died: its holder needs a few milliseconds. */
const STALE_MS = 5000
const GIVE_UP_MS = 20_000
const PAUSE_MS = 5

/**
 * Makes a store in a file. A change reads the file, writes another and puts it in its place, under a lock beside it; changes that come
 * meanwhile wait, and are written together.
 */
export function createFileStore(path: string): Store {
  const lock = `${path}.lock`
  let waiting: ((entries: Entries) => void)[] = []
  let queue: Promise<void> = Promise.resolve()
  let next = queue

  const flush = async (): Promise<void> => {
    const changes = waiting
    waiting = []
    await withFileLock(lock, async () => {
      const entries = await readEntries(path)
      const before = JSON.stringify([...entries])
      for (const change of changes) change(entries)
      if (JSON.stringify([...entries]) !== before) await writeEntries(path, entries)
    })
  }
  const change = async <T>(run: (entries: Entries) => T): Promise<T> => {
    const result = new Promise<T>((resolve) => waiting.push((entries) => resolve(run(entries))))
    if (waiting.length === 1) {
      next = queue.then(flush)
      queue = next.catch(() => {})
    }
    await next
    return result
  }

  return {
    get: async (key) => (await readEntries(path)).get(key)?.value,
    set: (key, value, options) => change((entries) => void entries.set(key, entryOf(value, options))),
    delete: (key) => change((entries) => void entries.delete(key)),
    swap: (key, { expected, value, ...options }) =>
      change((entries) => {
        if (entries.get(key)?.value !== expected) return false
        if (value === undefined) entries.delete(key)
        else entries.set(key, entryOf(value, options))
        return true
      }),
    list: async (prefix, options) => listKeys((await readEntries(path)).keys(), prefix, options),
    count: async (prefix) => [...(await readEntries(path)).keys()].filter((key) => key.startsWith(prefix)).length,
  }
}

function entryOf(value: string, { ttlMs }: StoreOptions = {}): Entry {
  return ttlMs === undefined ? { value } : { value, expires: Date.now() + ttlMs }
}

/** What has not expired. A file that is not there, or is none of ours, holds nothing. */
async function readEntries(path: string): Promise<Entries> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  const now = Date.now()
  const alive = Object.entries(parse(text)).filter(([, entry]) => isEntry(entry) && now < (entry.expires ?? Infinity))
  return new Map(alive as [string, Entry][])
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
  const next = `${path}.${randomUUID()}`
  try {
    const file = await open(next, 'wx', OWNER_ONLY)
    try {
      await file.writeFile(JSON.stringify(Object.fromEntries(entries), undefined, 1))
      await file.sync()
    } finally {
      await file.close()
    }
    await chmod(next, OWNER_ONLY)
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}

/** Runs something while a lock file is ours. @throws Error when it cannot be had. */
async function withFileLock<T>(lock: string, run: () => Promise<T>): Promise<T> {
  const owner = randomUUID()
  const startedAt = Date.now()
  while (!(await takeLock(lock, owner))) {
    if (Date.now() - startedAt > GIVE_UP_MS) throw new Error(`${lock} is held by somebody else`)
    await sleep(PAUSE_MS + Math.random() * PAUSE_MS)
  }
  try {
    return await run()
  } finally {
    const holder = await readFile(lock, 'utf8').catch(() => '')
    if (holder === owner) await rm(lock, { force: true })
  }
}

async function takeLock(lock: string, owner: string): Promise<boolean> {
  try {
    await writeFile(lock, owner, { flag: 'wx', mode: OWNER_ONLY })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') await mkdir(dirname(lock), { recursive: true, mode: OWNER_ONLY_FOLDER })
    else if (code === 'EEXIST' || code === 'EPERM') await breakStale(lock)
    else throw error
    return false
  }
}

/** Takes away a lock that was left behind. Of several who see it, one moves it aside; a lock that was new by then is put back. */
async function breakStale(lock: string): Promise<void> {
  if ((await ageOf(lock)) < STALE_MS) return
  const aside = `${lock}.${randomUUID()}`
  try {
    await rename(lock, aside)
  } catch {
    return
  }
  if ((await ageOf(aside)) < STALE_MS) await link(aside, lock).catch(() => {})
  await rm(aside, { force: true })
}

/** How long ago a file was written, in milliseconds; none is as if it was written now. */
function ageOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
}
