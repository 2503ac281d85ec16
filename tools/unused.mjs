/** `npm run check:unused`: knip finds files and exports of the library that nothing imports. */
import { runChecker } from './lib/checkers.mjs'
import { ROOT } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const args = ['--workspace', 'packages/portcall', '--include', 'files,exports,types,duplicates', '--reporter', 'compact']

const report = createReport('unused files and exports')
const { ok, output } = runChecker('knip', [...args, '--no-progress', '--no-config-hints'], { cwd: ROOT, quiet: true })
report.check('knip finds no unused file or export', ok ? [] : output.trim().split('\n'))
report.end()
