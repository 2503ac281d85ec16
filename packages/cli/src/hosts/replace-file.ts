import { copyFile, mkdir, readdir, readFile, readlink, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { withFileLock } from '../../../util/src/file-lock.ts'
import { writeFileAtomically } from '../../../util/src/write-file-atomically.ts'

/** Reads a text file. Returns an empty string if it does not exist. */
export async function readTextFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/** Runs a task while no other process of this command changes the files. Lock files are next to them, as is what replaces them. */
export async function withLockedFiles<T>(paths: readonly string[], task: () => Promise<T>): Promise<T> {
  const real = await Promise.all(
    paths.map(async (path) => {
      await mkdir(dirname(path), { recursive: true })
      const real = await realPath(path)
      await mkdir(dirname(real), { recursive: true })
      return real
    }),
  )
  // In one order, so that two processes cannot wait for each other.
  return [...new Set(real)]
    .sort()
    .reduceRight<() => Promise<T>>((inner, path) => () => withFileLock(`${path}.lock`, inner), task)()
}

/** Thrown when a file is not what it was when its replacement was made. */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError'
}

/**
 * Replaces a file atomically. Preserves its permissions, follows links, and writes a backup next to it; of these, the
 * first and the last two remain.
 *
 * @returns the path of the backup; `undefined` if the file did not exist.
 * @throws FileChangedError if the file does not have the expected text anymore, since its host may write it too.
 */
export async function replaceFile(path: string, text: string, expected: string): Promise<string | undefined> {
  await mkdir(dirname(path), { recursive: true })
  const real = await realPath(path)
  await mkdir(dirname(real), { recursive: true })
  const existing = await stat(real).catch(() => undefined)
  const backup = existing && `${real}.${timestamp(new Date())}.bak`
  if (backup) await copyFile(real, backup)
  const beforeReplace = async (): Promise<void> => {
    if ((await readTextFile(real)) !== expected) throw new FileChangedError(`${real} was changed meanwhile`)
  }
  try {
    await writeFileAtomically(real, text, { mode: existing ? existing.mode & 0o777 : 0o600, beforeReplace })
    await deleteOldBackups(real).catch(() => {})
  } catch (error) {
    if (backup) await rm(backup, { force: true })
    throw error
  }
  return backup
}

const MAX_LINKS = 40

/** Follows links, also those to a file that does not exist yet. @throws Error if they form a circle. */
async function realPath(path: string): Promise<string> {
  let file = path
  for (let links = 0; links <= MAX_LINKS; links++) {
    const found = await realpath(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ELOOP') throw error
    })
    if (found !== undefined) return found
    const target = await readlink(file).catch(() => undefined)
    if (target === undefined) return file
    file = resolve(dirname(file), target)
  }
  throw new Error(`${path} is a link to itself`)
}

const KEPT_BACKUPS = 2
const BACKUP = /^\.\d{8}-\d{6}-\d{3}\.bak$/

/** Deletes the backups between the first, which is what the user wrote, and the last ones. */
async function deleteOldBackups(path: string): Promise<void> {
  const name = basename(path)
  const names = (await readdir(dirname(path))).filter((other) => other.startsWith(name) && BACKUP.test(other.slice(name.length)))
  const old = names.sort().slice(1, -KEPT_BACKUPS)
  await Promise.all(old.map((other) => rm(join(dirname(path), other), { force: true })))
}

/** Returns a time for a file name: `20260131-235959-123`. */
function timestamp(time: Date): string {
  return time.toISOString().replace(/[-:]/g, '').replace('T', '-').replace('.', '-').replace('Z', '')
}
