import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withFileLock } from '../../../../../util/src/file-lock.ts'
import { writeFileAtomically } from '../../../../../util/src/write-file-atomically.ts'
import { isObject } from '../../../jsonrpc/message.ts'
import { listKeys } from '../../../stores/listing.ts'
import type { KeyValueStore, SetOptions } from '../../../stores/store.ts'

interface Entry {
  readonly value: string
  /** Milliseconds since 1970. */
  readonly expires?: number
}

type Entries = Map<string, Entry>

const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700

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
    await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
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

function writeEntries(path: string, entries: Entries): Promise<void> {
  return writeFileAtomically(path, JSON.stringify(Object.fromEntries(entries), undefined, 1), { mode: OWNER_ONLY })
}
