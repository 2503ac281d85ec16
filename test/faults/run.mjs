/** `npm run faults [-- FILTER …]`: broken peers, cut connections and floods against a real server process. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT, readJson } from '../../tools/lib/paths.mjs'
import { runNode } from '../../tools/lib/run.mjs'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const RESULTS = join(ROOT, 'results', 'faults.json')

mkdirSync(dirname(RESULTS), { recursive: true })
rmSync(RESULTS, { force: true })
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`]
const { status } = runNode([vitest, 'run', '--config', join(FOLDER, 'vitest.config.ts'), ...reporters, ...process.argv.slice(2)])

const { testResults, numPassedTests, numFailedTests } = existsSync(RESULTS)
  ? readJson(RESULTS)
  : { testResults: [], numPassedTests: 0, numFailedTests: 0 }
const broken = testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
)
const failed = numFailedTests + broken.length || (status === 0 ? 0 : 1)
console.log(`${numPassedTests} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
