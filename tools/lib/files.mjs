import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SKIPPED = new Set(['node_modules', 'dist', 'build', 'results', 'coverage', '.git'])

/** All files below a folder whose path ends in one of `endings`, sorted; none when there is no such folder. */
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

/** One hash over the names and the contents of files. */
export function hashFiles(paths) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

/** Tests and what only tests use, wherever they lie. */
export const isTest = (path) => /\.test(-kit)?\.m?[jt]s$/.test(path)
