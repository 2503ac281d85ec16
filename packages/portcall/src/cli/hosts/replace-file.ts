import { copyFile, mkdir, open, readFile, realpath, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withFileLock } from '../../util/file-lock.ts'
import { randomId } from '../../util/random.ts'
import { renameFile } from '../../util/rename-file.ts'

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
      return realPath(path)
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
 * Replaces a file atomically. Preserves its permissions, follows links, and writes a backup next to it.
 *
 * @returns the path of the backup; `undefined` if the file did not exist.
 * @throws FileChangedError if the file does not have the expected text anymore, since its host may write it too.
 */
export async function replaceFile(path: string, text: string, expected: string): Promise<string | undefined> {
  await mkdir(dirname(path), { recursive: true })
  const real = await realPath(path)
  const existing = await stat(real).catch(() => undefined)
  const backup = existing && `${real}.${timestamp(new Date())}.bak`
  if (backup) await copyFile(real, backup)
  const temporary = `${real}.${randomId(6)}.tmp`
  try {
    const file = await open(temporary, 'wx', existing ? existing.mode & 0o777 : 0o600)
    await file.writeFile(text)
    await file.sync()
    await file.close()
    if ((await readTextFile(real)) !== expected) throw new FileChangedError(`${real} was changed meanwhile`)
    await renameFile(temporary, real)
  } catch (error) {
    await rm(temporary, { force: true })
    if (backup) await rm(backup, { force: true })
    throw error
  }
  return backup
}

const realPath = (path: string): Promise<string> => realpath(path).catch(() => path)

/** Returns a time for a file name: `20260131-235959-123`. */
function timestamp(time: Date): string {
  return time.toISOString().replace(/[-:]/g, '').replace('T', '-').replace('.', '-').replace('Z', '')
}
