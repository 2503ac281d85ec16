import { rename } from 'node:fs/promises'
import { delay } from './timers.ts'

/** Codes of the errors that Windows reports while another process, such as a virus scanner, has one of the files open. */
const BUSY = new Set(['EACCES', 'EBUSY', 'EPERM'])

const RETRY_DELAY_MS = 20
const RETRY_TIMEOUT_MS = 2000

/** The parts of the system that a test replaces. */
export interface RenameSystem {
  readonly platform: NodeJS.Platform
  readonly rename: (from: string, to: string) => Promise<void>
}

/** Renames a file, and replaces the one of the new name. On Windows, waits up to two seconds for processes that have one of them open. */
export async function renameFile(
  from: string,
  to: string,
  { platform, rename: move }: RenameSystem = { platform: process.platform, rename },
): Promise<void> {
  const deadline = performance.now() + RETRY_TIMEOUT_MS
  for (;;) {
    try {
      return await move(from, to)
    } catch (error) {
      const isBusy = platform === 'win32' && BUSY.has(String((error as NodeJS.ErrnoException).code))
      if (!isBusy || performance.now() > deadline) throw error
      await delay(RETRY_DELAY_MS)
    }
  }
}
