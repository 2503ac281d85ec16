/**
 * `node tools/reference.mjs`: TypeDoc writes docs/reference/api from the doc comments of what the entry points export. `--check`
 * compares instead: the reference is up to date, so the public API changes only on purpose, and every export and each of its members is documented.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChecker } from './lib/checkers.mjs'
import { filesBelow } from './lib/files.mjs'
import { ROOT, readText } from './lib/paths.mjs'

const FOLDER = join(ROOT, 'docs', 'reference', 'api')

/** Writes the reference into a folder and returns what TypeDoc complains about. */
function write(folder) {
  const options = ['--options', join(ROOT, 'tools', 'reference', 'typedoc.json'), '--out', folder, '--logLevel', 'Warn']
  const { ok, output } = runChecker('typedoc', options, { quiet: true })
  return ok ? [] : output.trim().split('\n')
}

function differences(fresh) {
  const names = (folder) => (existsSync(folder) ? filesBelow(folder, '.md').map((path) => path.slice(folder.length)) : [])
  const isSame = (name) =>
    [FOLDER, fresh].every((folder) => existsSync(folder + name)) && readText(FOLDER + name) === readText(fresh + name)
  return [...new Set([...names(FOLDER), ...names(fresh)])].filter((name) => !isSame(name))
}

const isCheck = process.argv.includes('--check')
const folder = isCheck ? mkdtempSync(join(tmpdir(), 'portcall-reference-')) : FOLDER
const faults = write(folder)
if (isCheck) {
  faults.push(...differences(folder).map((name) => `docs/reference/api${name} is out of date: npm run check:docs -- --write`))
  rmSync(folder, { recursive: true })
}
for (const fault of faults) console.log(fault)
process.exitCode = faults.length ? 1 : 0
