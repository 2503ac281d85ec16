/**
 * `npm run check:types`: type-checks every project with TypeScript 7, and what users compile with TypeScript 6 as well. `check:pack` compiles the
 * published declarations with TypeScript 5.4 and 6.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensure } from './ensure.mjs'
import { runChecker } from './lib/checkers.mjs'
import { install } from './lib/install.mjs'
import { PAGE } from './lib/page.mjs'
import { PACKAGE, ROOT, shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { runNode } from './lib/run.mjs'

const TYPESCRIPT_6 = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

const compilers = {
  'TypeScript 6': (args) => runNode([TYPESCRIPT_6, ...args], { quiet: true }),
  'TypeScript 7': (args) => runChecker('typescript-7', args, { quiet: true }),
}

const BOTH = Object.keys(compilers)
/** The platform-neutral sources without Node's types, the whole package, its tests, the examples, test/, and the page of the inspector. */
const PROJECTS = [
  [join(PACKAGE, 'tsconfig.json'), ['TypeScript 7']],
  [join(PACKAGE, 'tsconfig.node.json'), ['TypeScript 7']],
  [join(PACKAGE, 'tsconfig.test.json'), ['TypeScript 7']],
  [join(ROOT, 'examples', 'tsconfig.json'), BOTH],
  [join(ROOT, 'test', 'tsconfig.json'), ['TypeScript 7']],
  [join(ROOT, 'test', 'newcomer', 'tsconfig.json'), BOTH],
  [join(ROOT, 'packages', 'inspector', 'tsconfig.json'), ['TypeScript 7']],
]

/** Installs the packages that the page of the inspector and the folders of test/ need. */
function installTests() {
  const folders = [PAGE.home, ...readdirSync(join(ROOT, 'test')).map((name) => join(ROOT, 'test', name))]
  for (const folder of folders) if (existsSync(join(folder, 'package-lock.json'))) install(folder)
}

/** Stores incremental results next to the installed packages, so that only changes are checked again. */
function incremental(project, compiler) {
  const name = `${shown(project)}-${compiler}`.replaceAll(/[^\w.]+/g, '-')
  return ['--incremental', '--tsBuildInfoFile', join(ROOT, 'node_modules', '.cache', 'types', `${name}.tsbuildinfo`)]
}

await ensure()
const report = createReport('types')
installTests()
for (const [project, names] of PROJECTS) {
  for (const name of names) {
    const { ok, output } = compilers[name](['-p', project, '--noEmit', '--pretty', 'false', ...incremental(project, name)])
    report.check(`${shown(project)} with ${name}`, ok ? [] : output.trim().split('\n'))
  }
}
report.end()
