/**
 * `npm run check:exports`: what each door exports, compared with tools/exports.json, so that the public surface changes only on
 * purpose. `-- --write` writes that file.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportedNames } from './lib/exported.mjs'
import { ROOT, readJson } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const LIST = join(ROOT, 'tools', 'exports.json')
const found = exportedNames()
if (process.argv.includes('--write')) writeFileSync(LIST, `${JSON.stringify(found, null, 2)}\n`)
const listed = existsSync(LIST) ? readJson(LIST) : {}

const report = createReport('exports')
for (const door of new Set([...Object.keys(listed), ...Object.keys(found)])) {
  const before = listed[door] ?? []
  const after = found[door] ?? []
  report.check(`${door}: ${after.length} names`, [
    ...before.filter((name) => !after.includes(name)).map((name) => `${name} is gone`),
    ...after.filter((name) => !before.includes(name)).map((name) => `${name} is new: npm run check:exports -- --write`),
  ])
}
report.end()
