import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PINNED } from './cores.mjs'

const RESULTS = { full: '../results/full.json', quick: '../results/quick.json' }

const pathOf = (kind) => fileURLToPath(new URL(RESULTS[kind], import.meta.url))

/** The load averages of the last one, five and fifteen minutes. */
export const machineLoad = () => loadavg().map((value) => Number(value.toFixed(2)))

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', cwd: dirname(pathOf('full')) }).trim()
  } catch {
    return 'unknown'
  }
}

const machine = () => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryGB: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${arch()}`,
  node: process.version,
  pinned: PINNED,
})

/**
 * The results of earlier runs of a kind, `full` or `quick`, by group.
 *
 * @typedef {{ groups: Record<string, GroupResult> }} Results
 * @typedef {{ at: string, commit: string, machine: object, load: { before: number[], after: number[] }, rows: Row[] }} GroupResult
 * @typedef {import('./rounds.mjs').Row} Row
 *
 * @returns {Results}
 */
export function readResults(kind) {
  const path = pathOf(kind)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { groups: {} }
}

/** Figures of samples with as many digits as mean something. */
const rounded = (_key, value) => (typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value)

/** Puts what was measured of one group among the results, in the place of what was there. */
export function keepResult(kind, id, { load, rows }) {
  const results = readResults(kind)
  results.groups[id] = { at: new Date().toISOString(), commit: commit(), machine: machine(), load, rows }
  mkdirSync(dirname(pathOf(kind)), { recursive: true })
  writeFileSync(pathOf(kind), `${JSON.stringify(results, rounded, 1)}\n`)
}
