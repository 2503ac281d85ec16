import { open, rm } from 'node:fs/promises'
import { randomId } from './random.ts'
import { renameFile } from './rename-file.ts'

export interface WriteFileOptions {
  /** The permissions of the file, of which the process may withhold some. Default: those of any new file. */
  readonly mode?: number
  /** Called when the text is on the disk, next to the file. If it rejects, the file stays as it was. */
  readonly beforeReplace?: () => Promise<void>
}

/** Writes a file in one step: whoever reads it finds the text before or the new one, also after a crash. */
export async function writeFileAtomically(
  path: string,
  text: string,
  { mode, beforeReplace }: WriteFileOptions = {},
): Promise<void> {
  const temporary = `${path}.${randomId(6)}.tmp`
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await beforeReplace?.()
    await renameFile(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
