import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'

/** Reads a file that a configuration names. A relative path starts in `directory`. */
export function readConfiguredFile(path: string, directory: string | undefined): string {
  return readFileSync(resolve(directory ?? '.', path.replace(/^~(?=[\\/])/, homedir)), 'utf8')
}
