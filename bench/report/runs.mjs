/** What the README and the docs say about the speed: ranges over all recorded runs, which differ in machine and load. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rangeOf, ratiosOf } from './ranges.mjs'

const PATH = fileURLToPath(new URL('../results/runs.json', import.meta.url))
const HTTP = ['http/modern', 'http/session', 'http/stateless']
const STDIO = ['stdio/modern', 'stdio/session']
const METRIC = 'perSecond'

/** The rows of the table. */
export const ROWS = [
  { title: 'HTTP, one client', groups: HTTP, cells: ['c1'] },
  { title: 'HTTP, 16 to 64 clients', groups: HTTP, cells: ['c16', 'c64'] },
  { title: 'stdio, one call at a time', groups: STDIO, cells: ['c1'] },
  { title: 'stdio, 64 calls in flight', groups: STDIO, cells: ['c64'] },
]

/** The subjects that Portcall is compared with, one per column. */
export const OTHERS = ['baseline', 'official-2', 'official-1', 'fastmcp', 'tmcp']

const shortened = (range) => range?.map((ratio) => Number(ratio.toPrecision(3)))

/** Returns the ranges of one run: a line per row, with the range of each of `OTHERS`. */
const linesOf = (results) =>
  ROWS.map(({ groups, cells }) =>
    OTHERS.map((subject) => shortened(rangeOf(ratiosOf(results, { groups, cells, subject, metric: METRIC }))) ?? null),
  )

/**
 * Reads the recorded runs, oldest first.
 *
 * @typedef {{ at: string, commit: string, cpu: string, node: string, load: number[], ranges: ([number, number] | null)[][] }} Run
 * @returns {Run[]}
 */
export const readRuns = () => (existsSync(PATH) ? JSON.parse(readFileSync(PATH, 'utf8')) : [])

const rendered = ({ ranges, ...about }) =>
  `${JSON.stringify(about).slice(0, -1)},"ranges":[\n${ranges.map((line) => JSON.stringify(line)).join(',\n')}\n]}`

/** Records the ranges of the latest measurement of all groups of the table, unless it is recorded already. */
export function recordRun(results) {
  const measured = [...HTTP, ...STDIO].map((group) => results.groups[group])
  if (measured.includes(undefined)) return
  const [{ at, commit, machine }] = measured
  const runs = readRuns().filter((run) => run.at !== at)
  const load = [...measured.flatMap((group) => [group.load.before[0], group.load.after[0]])].sort((a, b) => a - b)
  runs.push({ at, commit, cpu: machine.cpu, node: machine.node, load: [load[0], load.at(-1)], ranges: linesOf(results) })
  runs.sort((one, other) => (one.at < other.at ? -1 : 1))
  writeFileSync(PATH, `[\n${runs.map(rendered).join(',\n')}\n]\n`)
}

/** Returns the ranges over all runs: a line per row, with the range of each of `OTHERS`. */
export const overallRanges = (runs) =>
  ROWS.map((_, row) => OTHERS.map((_subject, column) => rangeOf(runs.flatMap(({ ranges }) => ranges[row]?.[column] ?? []))))
