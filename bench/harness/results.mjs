import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PINNED } from './cores.mjs'

const RESULTS = { full: '../results/full.json', quick: '../results/quick.json' }

const pathOf = (kind) => fileURLToPath(new URL(RESULTS[kind], import.meta.url))

/** Returns the load averages of the last one, five and fifteen minutes. */
export const machineLoad = () => loadavg().map((value) => Number(value.toFixed(2)))

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    }).trim()
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
 * Reads the results of earlier runs of a kind, `full` or `quick`, by group.
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

const LEFT_OUT = new Set(['count', 'failed', 'faults'])

/** Rounds a number to its significant digits. */
function figures(key, value) {
  if (LEFT_OUT.has(key)) return undefined
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value
}

/** Writes one row per line, so that differences between runs are readable. */
function render({ groups }) {
  const rendered = Object.entries(groups).map(([id, { rows, ...about }]) => {
    const lines = rows.map((row) => JSON.stringify(row, figures))
    return `${JSON.stringify(id)}: ${JSON.stringify(about).slice(0, -1)}, "rows": [\n${lines.join(',\n')}\n]}`
  })
  return `{"groups": {\n${rendered.join(',\n')}\n}}\n`
}

/** Replaces the results of one group. */
export function keepResult(kind, id, { load, rows }) {
  const results = readResults(kind)
  results.groups[id] = { at: new Date().toISOString(), commit: commit(), machine: machine(), load, rows }
  mkdirSync(dirname(pathOf(kind)), { recursive: true })
  writeFileSync(pathOf(kind), render(results))
}
