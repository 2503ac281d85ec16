import { readFile, rename, writeFile } from 'node:fs/promises'
import { randomId } from '../../util/random.ts'
import type { PinStorage } from './pin-lock.ts'

/** Stores pins in a file, which is replaced as a whole. Only one process may write to it at a time. */
export function createPinFile(path: string): PinStorage {
  const read = (): Promise<string | undefined> =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    })
  return {
    read,
    async replace(expected, text) {
      if ((await read()) !== expected) return false
      const temporary = `${path}.${randomId(6)}`
      await writeFile(temporary, text, { flag: 'wx' })
      await rename(temporary, path)
      return true
    },
  }
}
