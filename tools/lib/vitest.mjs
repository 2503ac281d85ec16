import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, readJson } from './paths.mjs'
import { runNode } from './run.mjs'

const RESULTS = join(ROOT, 'results')
const FLAKY = join(ROOT, 'tools', 'lib', 'flaky-reporter.mjs')

/** Runs tests, prints `N passed, N failed` as the last line, and returns the exit code. A file that fails to load counts as a failure. */
export function runTests(name, args) {
  const file = join(RESULTS, `${name}.json`)
  mkdirSync(RESULTS, { recursive: true })
  rmSync(file, { force: true })
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const { status } = runNode([
    vitest,
    'run',
    '--reporter=default',
    '--reporter=json',
    `--reporter=${FLAKY}`,
    `--outputFile.json=${file}`,
    ...args,
  ])
  const { testResults, numPassedTests, numFailedTests } = existsSync(file)
    ? readJson(file)
    : { testResults: [], numPassedTests: 0, numFailedTests: 0 }
  const broken = testResults.filter(
    (one) => one.status === 'failed' && one.assertionResults.every(({ status }) => status !== 'failed'),
  )
  const failed = numFailedTests + broken.length || (status === 0 ? 0 : 1)
  console.log(`${numPassedTests} passed, ${failed} failed`)
  return failed ? 1 : 0
}
