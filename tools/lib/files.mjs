import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ROOT } from './paths.mjs'

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

/** Writes a text to a file unless it has it already. Commands that read the file meanwhile see either text as a whole. */
export function replaceText(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  const folder = join(ROOT, 'node_modules', '.portcall')
  mkdirSync(folder, { recursive: true })
  const temporary = join(folder, `${process.pid}-${basename(path)}`)
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

/** Hashes the names and contents of files. */
export function hashFiles(paths) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

/** Reports whether a file is a test or is used only by tests. */
export const isTest = (path) => /\.test\.m?[jt]s$/.test(path)
