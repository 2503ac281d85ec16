import { copyFile, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The text of a file; empty when there is none. */
export async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/**
 * Writes a file whole or not at all, with the rights that it had. What it was is kept beside it; links are followed.
 *
 * @returns where the last text is; nothing when there was none.
 */
export async function replaceFile(path: string, text: string): Promise<string | undefined> {
  await mkdir(dirname(path), { recursive: true })
  const real = await realpath(path).catch(() => path)
  const before = await stat(real).catch(() => undefined)
  const backup = before && `${real}.${stamp(new Date())}.bak`
  if (backup) await copyFile(real, backup)
  const next = `${real}.${process.pid}.tmp`
  try {
    const file = await open(next, 'wx', before ? before.mode & 0o777 : 0o600)
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(next, real)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
  return backup
}

/** A moment as part of a file's name: `20260131-235959-123`. */
function stamp(time: Date): string {
  return time.toISOString().replace(/[-:]/g, '').replace('T', '-').replace('.', '-').replace('Z', '')
}
