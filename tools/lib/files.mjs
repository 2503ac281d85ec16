import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SKIPPED = new Set(['node_modules', 'dist', 'build', 'results', 'coverage', '.git'])

/** Returns the files below a folder whose path ends with one of `endings`, sorted. Empty when the folder does not exist. */
export function filesBelow(folder, ...endings) {
  if (!existsSync(folder)) return []
  const found = []
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) found.push(...filesBelow(path, ...endings))
    else if (endings.some((ending) => entry.name.endsWith(ending))) found.push(path)
  }
  return found.sort()
}

/** Hashes the names and contents of files. */
export function hashFiles(paths) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

/** Reports whether a file is a test or is used only by tests. */
export const isTest = (path) => /\.test\.m?[jt]s$/.test(path)
