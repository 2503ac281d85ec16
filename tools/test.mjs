/** `npm test [-- FILTER …]`: gets the checkout ready and runs every test that needs nothing outside npm. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensure } from './ensure.mjs'
import { ROOT, readJson } from './lib/paths.mjs'
import { runNode } from './lib/run.mjs'

const RESULTS = join(ROOT, 'results', 'vitest.json')

await ensure()
mkdirSync(dirname(RESULTS), { recursive: true })
rmSync(RESULTS, { force: true })
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${RESULTS}`]
const { status } = runNode([vitest, 'run', ...reporters, ...process.argv.slice(2)])

const { testResults, numPassedTests, numFailedTests } = existsSync(RESULTS)
  ? readJson(RESULTS)
  : { testResults: [], numPassedTests: 0, numFailedTests: 0 }
const broken = testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
)
const failed = numFailedTests + broken.length || (status === 0 ? 0 : 1)
console.log(`${numPassedTests} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
