/** `npm run check:architecture`: the imports of the library follow the table in lib/architecture.mjs. */
import { readdirSync } from 'node:fs'
import { CONSUMERS, FOLDERS } from './lib/architecture.mjs'
import { runChecker } from './lib/checkers.mjs'
import { librarySources } from './lib/entrypoints.mjs'
import { SRC, shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const report = createReport('architecture')

const known = new Set(['entrypoints', ...Object.keys(FOLDERS), ...Object.keys(CONSUMERS)])
const unknown = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !known.has(entry.name))
report.check(
  'each folder is in the table',
  unknown.map(({ name }) => `${name}/ is not in tools/lib/architecture.mjs`),
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

// dependency-cruiser passes when it finds no TypeScript at all, so check that it read every file.
const seen = new Set(modules.map(({ source }) => source))
const sources = librarySources().map(shown)
report.check(
  `all ${sources.length} modules were read`,
  sources.filter((path) => !seen.has(path)).map((path) => `${path} was not read`),
)
/** Formats a violation as one line. A cycle is shown completely, with a note when it consists of type imports only. */
function line({ rule, from, to, cycle }) {
  if (!cycle) return `${rule.name}: ${from} → ${to}`
  const ofTypes = cycle.some(({ dependencyTypes }) => dependencyTypes?.includes('type-only'))
  return `${rule.name}${ofTypes ? ' (types)' : ''}: ${[from, ...cycle.map(({ name }) => name)].join(' → ')}`
}

report.check('imports follow the table', violations.map(line))
report.end()
