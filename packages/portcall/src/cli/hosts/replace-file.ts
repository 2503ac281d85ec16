import { copyFile, mkdir, open, readFile, realpath, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { renameFile } from '../../util/rename-file.ts'

/** Reads a text file. Returns an empty string if it does not exist. */
export async function readTextFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/**
 * Replaces a file atomically. Preserves its permissions, follows links, and writes a backup next to it.
 *
 * @returns the path of the backup; `undefined` if the file did not exist.
 */
export async function replaceFile(path: string, text: string): Promise<string | undefined> {
  await mkdir(dirname(path), { recursive: true })
  const real = await realpath(path).catch(() => path)
  const existing = await stat(real).catch(() => undefined)
  const backup = existing && `${real}.${timestamp(new Date())}.bak`
  if (backup) await copyFile(real, backup)
  const temporary = `${real}.${process.pid}.tmp`
  try {
    const file = await open(temporary, 'wx', existing ? existing.mode & 0o777 : 0o600)
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await renameFile(temporary, real)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return backup
}

/** Returns a time for a file name: `20260131-235959-123`. */
function timestamp(time: Date): string {
  return time.toISOString().replace(/[-:]/g, '').replace('T', '-').replace('.', '-').replace('Z', '')
}
