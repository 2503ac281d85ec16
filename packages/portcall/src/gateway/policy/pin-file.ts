import { readFile } from 'node:fs/promises'
import { withFileLock } from '../../../../util/src/file-lock.ts'
import { writeFileAtomically } from '../../../../util/src/write-file-atomically.ts'
import type { PinStorage } from './pin-lock.ts'

/** Stores pins in a file, which is replaced as a whole. Processes that write to it take turns, with a lock file next to it. */
export function createPinFile(path: string): PinStorage {
  const read = (): Promise<string | undefined> =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    })
  return {
    read,
    replace: (expected, text) =>
      withFileLock(`${path}.lock`, async () => {
        if ((await read()) !== expected) return false
        await writeFileAtomically(path, text)
        return true
      }),
  }
}
