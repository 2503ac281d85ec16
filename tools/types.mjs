/** `npm run check:types`: type-checks every project with TypeScript 6 and TypeScript 7. */
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

/** The platform-neutral sources without Node's types, the whole package, its tests, the examples, test/, and the page of the inspector. */
const PROJECTS = [
  ...['tsconfig.json', 'tsconfig.node.json', 'tsconfig.test.json'].map((name) => join(PACKAGE, name)),
  ...['examples', 'test', 'test/newcomer', 'packages/inspector'].map((folder) => join(ROOT, folder, 'tsconfig.json')),
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
for (const project of PROJECTS) {
  for (const [name, compile] of Object.entries(compilers)) {
    const { ok, output } = compile(['-p', project, '--noEmit', '--pretty', 'false', ...incremental(project, name)])
    report.check(`${shown(project)} with ${name}`, ok ? [] : output.trim().split('\n'))
  }
}
report.end()
