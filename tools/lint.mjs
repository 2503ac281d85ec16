/** `npm run check:lint`: Biome's lint rules and formatting; `npm run format` applies safe fixes. */
import { runChecker } from './lib/checkers.mjs'
import { ROOT } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const FINDING = /^::\w+ title=([^,]*),file=([^,]*),line=(\d+).*?::(.*)$/gm

const write = process.argv.includes('--write')
const paths = process.argv.slice(2).filter((argument) => argument !== '--write')
const args = [
  'check',
  '--reporter=github',
  '--max-diagnostics=none',
  '--error-on-warnings',
  ...(write ? ['--write'] : []),
  ...paths,
]
const { ok, output } = runChecker('biome', args, { cwd: ROOT, quiet: true })

const report = createReport('lint')
const findings = [...output.matchAll(FINDING)].map(([, rule, file, line, message]) => {
  return `${file.replace(`${ROOT}/`, '')}:${line} ${rule}: ${message}`
})
report.check(
  output.match(/Checked .*?\./)?.[0] ?? 'Biome reports nothing',
  ok ? [] : findings.length ? findings : output.split('\n'),
)
if (!ok && !write) report.note('npm run format fixes most of it')
report.end()
