/** `npm run check:lint`: Biome's rules and format; `npm run format` writes what can be put right. */
import { runChecker } from './lib/checkers.mjs'
import { ROOT } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const report = createReport('lint')
const write = process.argv.includes('--write')
const paths = process.argv.slice(2).filter((argument) => argument !== '--write')
const args = ['check', '--max-diagnostics=200', '--error-on-warnings', ...(write ? ['--write'] : []), ...paths]
const { ok, output } = runChecker('biome', args, { cwd: ROOT, quiet: true })
if (ok) report.pass(output.match(/Checked .*?\./)?.[0] ?? 'nothing found')
else report.check('Biome finds nothing', output.split('\n'))
report.end()
