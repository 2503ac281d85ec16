/** `npm run check:architecture`: the imports of the library against the table in lib/architecture.mjs. */
import { readdirSync } from 'node:fs'
import { ABOVE, FOLDERS } from './lib/architecture.mjs'
import { runChecker } from './lib/checkers.mjs'
import { librarySources } from './lib/doors.mjs'
import { SRC, shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const report = createReport('architecture')

const known = new Set([...Object.keys(FOLDERS), ...Object.keys(ABOVE)])
const strangers = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !known.has(entry.name))
report.check(
  'each folder is in the table',
  strangers.map(({ name }) => `${name}/ is not in tools/lib/architecture.mjs`),
)

const { stdout, output } = runChecker('dependency-cruiser', ['--output-type', 'json', shown(SRC)], { quiet: true })
let modules = []
let violations = []
try {
  const result = JSON.parse(stdout)
  modules = result.modules
  violations = result.summary.violations
} catch {
  report.fail(`dependency-cruiser gave no result: ${output.slice(0, 2000)}`)
}

// A cruiser that finds no TypeScript cruises nothing and passes, so it has to have seen every file.
const seen = new Set(modules.map(({ source }) => source))
const sources = librarySources().map(shown)
report.check(
  `all ${sources.length} modules were seen`,
  sources.filter((path) => !seen.has(path)).map((path) => `${path} was not seen`),
)
/** A violation on one line; a cycle is shown whole, and whether it is one of types only. */
function line({ rule, from, to, cycle }) {
  if (!cycle) return `${rule.name}: ${from} → ${to}`
  const ofTypes = cycle.some(({ dependencyTypes }) => dependencyTypes?.includes('type-only'))
  return `${rule.name}${ofTypes ? ' (types)' : ''}: ${[from, ...cycle.map(({ name }) => name)].join(' → ')}`
}

report.check('imports follow the table', violations.map(line))
report.end()
