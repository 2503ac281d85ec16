/** The folder with the file that workers share. It must not outlive them, however they end. */
import { rmSync } from 'node:fs'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { isRunning } from '../../../util/src/is-running.ts'

const PREFIX = `portcall-workers-${hostname()}-`
const FILE = 'sessions.db'
const REMOVE = { recursive: true, force: true } as const

/** Creates a folder that only this user can read, and removes those of supervisors that were killed. Returns the path of the file in it. */
export async function createStoresFolder(): Promise<string> {
  await removeAbandonedFolders()
  return join(await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`)), FILE)
}

/** Removes the folder of a file. */
export const removeStoresFolder = (file: string): Promise<void> => rm(dirname(file), REMOVE)

/** Makes this worker remove the folder of the file when it exits, if its supervisor cannot do so. */
export function removeStoresFolderAfter(supervisor: number, file: string): void {
  process.once('exit', () => {
    if (process.ppid === supervisor) return
    // Other workers that still run their calls have the file open. Where open files cannot be removed, the last worker removes it.
    try {
      rmSync(dirname(file), REMOVE)
    } catch {}
  })
}

async function removeAbandonedFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  const abandoned = names.filter(
    (name) => name.startsWith(PREFIX) && !hasSupervisor(Number.parseInt(name.slice(PREFIX.length), 10)),
  )
  await Promise.all(abandoned.map((name) => removeOwn(join(tmpdir(), name)).catch(() => {})))
}

/** This process has no folder yet, so one with its id belonged to another process, such as the same container before it was restarted. */
const hasSupervisor = (pid: number): boolean => pid !== process.pid && isRunning(pid)

async function removeOwn(folder: string): Promise<void> {
  const { uid } = await lstat(folder)
  if (uid === (process.getuid?.() ?? uid)) await rm(folder, REMOVE)
}
