/** `npm run check:architecture`: the imports of the packages follow the tables in lib/architecture.mjs. */
import { readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { APPLICATIONS, FOLDERS, HOMES, ORDERS } from './lib/architecture.mjs'
import { runChecker } from './lib/checkers.mjs'
import { librarySources } from './lib/entrypoints.mjs'
import { filesBelow, isTest } from './lib/files.mjs'
import { PAGE } from './lib/page.mjs'
import { ROOT, readText, SOURCE_FOLDERS, SRC, shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const PAGE_SRC = join(PAGE.home, 'src')
const report = createReport('architecture')

const known = new Set(['entrypoints', ...Object.keys(FOLDERS)])
const unknown = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !known.has(entry.name))
report.check(
  'each folder is in the table',
  unknown.map(({ name }) => `${name}/ is not in tools/lib/architecture.mjs`),
)

const places = Object.keys(FOLDERS)
report.check(
  'each folder imports folders above it in the table',
  Object.entries(FOLDERS).flatMap(([name, allowed]) =>
    allowed
      .filter((other) => !places.slice(0, places.indexOf(name)).includes(other))
      .map((other) => `${name} may not list ${other}`),
  ),
)

// dependency-cruiser does not read tests.
report.check(
  'no folder of the library imports an entry point, tests included',
  filesBelow(SRC, '.ts')
    .filter((path) => /['"](\.\.\/)+entrypoints\//.test(readText(path)))
    .map((path) => `${shown(path)} imports an entry point`),
)

/** Returns what a file imports of a folder of the library that is neither an entry point nor allowed. */
function sideDoors(path, allowed) {
  const imports = [...readText(path).matchAll(/['"]((?:\.\.\/)+[^'"]+\.ts)['"]/g)].map(([, name]) => join(dirname(path), name))
  return imports.filter((one) => one.startsWith(SRC + sep) && !allowed.some((other) => one.startsWith(join(SRC, other))))
}

report.check(
  'tests of applications import entry points, and what their programs may import',
  Object.entries(APPLICATIONS).flatMap(([name, allowed]) =>
    filesBelow(join(ROOT, HOMES[name]), '.test.ts').flatMap((path) =>
      sideDoors(path, allowed).map((one) => `${shown(path)} imports ${shown(one)}`),
    ),
  ),
)

const architecture = readText(join(ROOT, 'ARCHITECTURE.md'))

/** Returns the rows of the table of folders: the name, and the folders it may import. */
function documentedFolders() {
  const section = architecture.slice(architecture.indexOf('### Folders'), architecture.indexOf('## Life of a call'))
  return [...section.matchAll(/^\| `([\w-]+)\/` \|.*\| ([^|]+) \|$/gm)].map(([, name, imports]) => [
    name,
    imports.match(/[a-z]+/g) ?? [],
  ])
}

const rows = new Map(documentedFolders())
report.check(
  'ARCHITECTURE.md has the imports of each folder',
  Object.entries(FOLDERS).flatMap(([name, allowed]) => {
    const expected = allowed.filter((other) => other !== 'util').sort()
    const found = rows.get(name)
    return found && found.toSorted().join() === expected.join() ? [] : [`${name}/ may import ${expected.join(', ') || '–'}`]
  }),
)
report.check(
  'ARCHITECTURE.md has the folders in the order of the table',
  [...rows.keys()].filter((name) => name in FOLDERS).join() === places.join() ? [] : [places.join(', ')],
)

for (const [name, { order, maxLooseFiles }] of Object.entries(ORDERS)) {
  const entries = readdirSync(join(SRC, name), { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory())
  report.check(
    `each folder of ${name}/ has a place in its order`,
    folders
      .filter((entry) => !order.includes(entry.name))
      .map((entry) => `${name}/${entry.name}/ is not in tools/lib/architecture.mjs`),
  )
  const loose = entries.filter((entry) => entry.isFile() && !/\.test\.ts$/.test(entry.name))
  report.check(
    `at most ${maxLooseFiles} files beside the folders of ${name}/`,
    loose.length > maxLooseFiles ? loose.map((entry) => `${name}/${entry.name}`) : [],
  )
  // The first row is that of the table of all folders.
  const [, ...parts] = [...architecture.matchAll(new RegExp(`^\\| \`${name}/([\\w-]*)/?\` \\|`, 'gm'))].map(
    ([, part]) => part || '.',
  )
  report.check(
    `ARCHITECTURE.md has the order of ${name}/`,
    parts.join() === order.join() ? [] : [`it is ${order.join(', ')}; ARCHITECTURE.md has ${parts.join(', ')}`],
  )
}

const { stdout, output } = runChecker(
  'dependency-cruiser',
  ['--output-type', 'json', ...SOURCE_FOLDERS.map(shown), shown(PAGE_SRC)],
  {
    quiet: true,
  },
)
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
const sources = [...librarySources(), ...filesBelow(PAGE_SRC, '.ts', '.tsx').filter((path) => !isTest(path))].map(shown)
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
