import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The small JSON files in which the inspector keeps saved servers, calls and task ids. */
export interface InspectorFiles {
  /** Reads a file. Returns the default if there is none, or if it is not JSON. */
  read(name: string, whenMissing: unknown): unknown
  /** Replaces a file. Errors are ignored: the inspector works without its files. */
  write(name: string, value: unknown): void
}

/** Creates access to the files in a directory. Without one, nothing is kept. */
export function createInspectorFiles(directory: string | undefined): InspectorFiles {
  if (directory === undefined) return { read: (_name, whenMissing) => whenMissing, write() {} }
  return {
    read(name, whenMissing) {
      try {
        return JSON.parse(readFileSync(join(directory, name), 'utf8')) as unknown
      } catch {
        return whenMissing
      }
    },
    write(name, value) {
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        const path = join(directory, name)
        writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
        renameSync(`${path}.new`, path)
      } catch {
        // The home directory may be read-only.
      }
    },
  }
}
