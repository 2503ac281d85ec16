/** Locks among processes that use the same file. */
import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import process from 'node:process'
import { isRunning } from './is-running.ts'
import { delay, unref } from './timers.ts'

const OWNER_ONLY = 0o600
/** Age at which a lock is considered abandoned. A process that holds one renews it. */
const STALE_LOCK_MS = 5000
/** The same for the lock of a process that still runs on this host: it may have been paused, or be another process with its id. */
const STALE_RUNNING_LOCK_MS = 15_000
const RENEWAL_INTERVAL_MS = 1000
const LOCK_TIMEOUT_MS = 30_000
const POLL_INTERVAL_MS = 5

/**
 * Runs a task while holding a lock file, of which only one process has it at a time. The lock of a process that was killed is removed: at once
 * if it ran on this host, and otherwise after a few seconds.
 *
 * @throws Error if the file cannot be created, or if another process holds it for 30 seconds.
 */
export async function withFileLock<T>(lockPath: string, task: () => Promise<T>): Promise<T> {
  const owner = `${process.pid} ${randomUUID()} ${hostname()}`
  const startedAt = Date.now()
  while (!(await tryLock(lockPath, owner))) {
    if (Date.now() - startedAt > LOCK_TIMEOUT_MS) throw new Error(`${lockPath} is held by another process`)
    await delay(POLL_INTERVAL_MS * (1 + Math.random()))
  }
  const renewal = unref(setInterval(() => void renew(lockPath), RENEWAL_INTERVAL_MS))
  try {
    return await task()
  } finally {
    clearInterval(renewal)
    const holder = await readFile(lockPath, 'utf8').catch(() => '')
    if (holder === owner) await rm(lockPath, { force: true })
  }
}

/** Shows that the lock is not abandoned, if the task takes long. */
async function renew(lockPath: string): Promise<void> {
  const now = new Date()
  await utimes(lockPath, now, now).catch(() => {})
}

async function tryLock(lockPath: string, owner: string): Promise<boolean> {
  try {
    await writeFile(lockPath, owner, { flag: 'wx', mode: OWNER_ONLY })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST' && code !== 'EPERM') throw error
    await removeStaleLock(lockPath)
    return false
  }
}

/** Removes an abandoned lock. Of several processes, one moves it aside. A lock that turns out to be new is restored. */
async function removeStaleLock(lockPath: string): Promise<void> {
  if (!(await isAbandoned(lockPath))) return
  const aside = `${lockPath}.${randomUUID()}`
  try {
    await rename(lockPath, aside)
  } catch {
    return
  }
  if (!(await isAbandoned(aside))) await link(aside, lockPath).catch(() => {})
  await rm(aside, { force: true })
}

async function isAbandoned(path: string): Promise<boolean> {
  const [age, owner] = await Promise.all([ageOf(path), readFile(path, 'utf8').catch(() => '')])
  const [pid = '', , host] = owner.split(' ')
  if (host !== hostname()) return age >= STALE_LOCK_MS
  return !isRunning(Number(pid)) || age >= STALE_RUNNING_LOCK_MS
}

/** Returns the time since a file was written in milliseconds, and 0 for a missing file. */
function ageOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
}
