// Evaluates the checks that the suite has written. The suite's own total ignores warnings and scenarios that did not run.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const COLUMNS = { SUCCESS: 'passed', FAILURE: 'failed', WARNING: 'warned', SKIPPED: 'skipped' }

/**
 * Evaluates the results in a folder, for the expected scenarios or else for all that ran. A scenario passes if it ran, checked something, and
 * no check failed or warned.
 */
export function evaluate(folder, expected) {
  const checks = { passed: 0, failed: 0, warned: 0, skipped: 0 }
  const results = readResults(folder)
  const verdicts = (expected ?? [...results.keys()]).map((name) => ({ name, faults: faultsOf(results.get(name)) }))
  for (const result of results.values()) for (const { status } of result) if (status in COLUMNS) checks[COLUMNS[status]]++
  return { checks, verdicts }
}

function readResults(folder) {
  const results = new Map()
  for (const entry of existsSync(folder) ? readdirSync(folder, { recursive: true }) : []) {
    const [, name] = /^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/.exec(entry) ?? []
    if (name) results.set(name, JSON.parse(readFileSync(join(folder, entry), 'utf8')))
  }
  return results
}

function faultsOf(checks) {
  if (!checks) return ['missing: it did not complete']
  const counted = checks.filter(({ status }) => status in COLUMNS)
  if (counted.length === 0) return ['empty: it made no checks']
  return counted
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(
      ({ status, id, errorMessage, description }) =>
        `${status.toLowerCase()} ${id}: ${(errorMessage ?? description).slice(0, 300)}`,
    )
}
