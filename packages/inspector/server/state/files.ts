import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomId } from '../../../util/src/random.ts'

/** The small JSON files in which the inspector keeps saved servers, calls and task ids. */
export interface InspectorFiles {
  /** Reads a file. Returns the default if there is none, or if it is not JSON. */
  read(name: string, whenMissing: unknown): unknown
  /**
   * Reads a file, changes it, and replaces it, in one step: another inspector may have written it meanwhile. Returns the new value. Errors are
   * ignored, since the inspector works without its files.
   */
  update<T>(name: string, change: (stored: unknown) => T): T
}

/** Creates access to the files in a directory. Without one, nothing is kept. */
export function createInspectorFiles(directory: string | undefined): InspectorFiles {
  if (directory === undefined) return { read: (_name, whenMissing) => whenMissing, update: (_name, change) => change(undefined) }
  const read: InspectorFiles['read'] = (name, whenMissing) => {
    try {
      return JSON.parse(readFileSync(join(directory, name), 'utf8')) as unknown
    } catch {
      return whenMissing
    }
  }
  return {
    read,
    update(name, change) {
      const value = change(read(name, undefined))
      const path = join(directory, name)
      const temporary = `${path}.${randomId(6)}`
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
        renameSync(temporary, path)
      } catch {
        // The home directory may be read-only.
      }
      return value
    },
  }
}
