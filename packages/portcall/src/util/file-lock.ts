/** Locks among processes that use the same file. */
import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { delay, unref } from './timers.ts'

const OWNER_ONLY = 0o600
/** Age at which a lock is considered abandoned. */
const STALE_LOCK_MS = 5000
/** How often a lock is renewed in this time. */
const RENEWALS = 5
const LOCK_TIMEOUT_MS = 20_000
const POLL_INTERVAL_MS = 5

/**
 * Runs a task while holding a lock file, of which only one process has it at a time.
 *
 * @throws Error if the file cannot be created, or not in time.
 */
export async function withFileLock<T>(lockPath: string, task: () => Promise<T>): Promise<T> {
  const owner = randomUUID()
  const startedAt = Date.now()
  while (!(await tryLock(lockPath, owner))) {
    if (Date.now() - startedAt > LOCK_TIMEOUT_MS) throw new Error(`${lockPath} is held by another process`)
    await delay(POLL_INTERVAL_MS * (1 + Math.random()))
  }
  const renewal = unref(setInterval(() => void renew(lockPath), STALE_LOCK_MS / RENEWALS))
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
    if (code === 'EEXIST' || code === 'EPERM') await removeStaleLock(lockPath)
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
