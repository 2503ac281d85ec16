/**
 * `npm run check:api`: the files in api/ list the public API as it is, so that a review shows each change of it. `npm run api -- --write` updates
 * them.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensure } from './ensure.mjs'
import { apiReports } from './lib/api-report.mjs'
import { filesBelow } from './lib/files.mjs'
import { ROOT, readText, shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const FOLDER = join(ROOT, 'api')

await ensure()
const report = createReport('api')
const files = apiReports().map(({ entry, text }) => ({ path: join(FOLDER, `${entry}.api.md`), text }))
if (process.argv.includes('--write')) {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  for (const { path, text } of files) writeFileSync(path, text)
}
const stale = files.filter(({ path, text }) => !existsSync(path) || readText(path) !== text).map(({ path }) => path)
const left = filesBelow(FOLDER, '.api.md').filter((path) => !files.some((file) => file.path === path))
const faults = [...stale.map((path) => `${shown(path)} differs`), ...left.map((path) => `${shown(path)} is no entry point`)]
if (faults.length) faults.push('The public API changed: run npm run api -- --write and review the diff of api/')
report.check(`${files.length} reports in api/ match the public API`, faults)
report.end()
