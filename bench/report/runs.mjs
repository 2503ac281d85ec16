/** The sentences of the README and the docs about the speed: ranges over all recorded runs, which differ in machine and load. */
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

const isSameRun = (one, other) => one.commit === other.commit && one.cpu === other.cpu

/** Splits results into runs: groups that were measured with one commit on one machine. */
function runsIn({ groups }) {
  const runs = []
  for (const id of [...HTTP, ...STDIO]) {
    if (!groups[id]) continue
    const { at, commit, machine, load } = groups[id]
    const about = { at, commit, cpu: machine.cpu, node: machine.node, load: [load.before[0], load.after[0]] }
    let run = runs.find((other) => isSameRun(other, about))
    if (!run) runs.push((run = { ...about, groups: {} }))
    run.load = rangeOf([...run.load, ...about.load])
    run.groups[id] = groups[id]
  }
  return runs.map(({ groups: own, ...about }) => ({ ...about, ranges: linesOf({ groups: own }) }))
}

/** Returns runs with those in the results, oldest first. Ranges that are recorded stay covered when groups are measured again. */
export function withLatest(recorded, results) {
  const latest = runsIn(results).map((run) => {
    const known = recorded.find((other) => isSameRun(other, run))
    if (!known) return run
    const ranges = run.ranges.map((line, row) =>
      line.map((range, column) => rangeOf([...(range ?? []), ...(known.ranges[row][column] ?? [])]) ?? null),
    )
    return { ...run, at: known.at, load: rangeOf([...known.load, ...run.load]), ranges }
  })
  const others = recorded.filter((run) => !latest.some((other) => isSameRun(run, other)))
  return [...others, ...latest].sort((one, other) => (one.at < other.at ? -1 : 1))
}

/** Records the runs in the latest results. */
export function recordRuns(results) {
  writeFileSync(PATH, `[\n${withLatest(readRuns(), results).map(rendered).join(',\n')}\n]\n`)
}

/** Returns the ranges over all runs: a line per row, with the range of each of `OTHERS`. */
export const overallRanges = (runs) =>
  ROWS.map((_, row) => OTHERS.map((_subject, column) => rangeOf(runs.flatMap(({ ranges }) => ranges[row]?.[column] ?? []))))
