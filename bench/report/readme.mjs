import { SUBJECTS } from '../subjects.mjs'
import { PANELS } from './chart.mjs'
import { shownRange } from './ranges.mjs'
import { OTHERS, overallRanges, ROWS } from './runs.mjs'

const TITLES = { baseline: 'tuned `node:http` or stdio' }

const titleOf = (subject) => TITLES[subject] ?? SUBJECTS[subject].title.replace('official', 'official SDK')

/** The command that measures these rows again. */
const COMMAND = 'npm run bench -- --only http,stdio'

/** Renders the ranges of all runs as a table: how many times as many calls a second Portcall answers. */
export function rangesTable(runs) {
  const ranges = overallRanges(runs)
  return [
    `| Portcall compared with | ${OTHERS.map(titleOf).join(' | ')} |`,
    `|---|${'--:|'.repeat(OTHERS.length)}`,
    ...ROWS.map(({ title }, row) => `| ${title} | ${ranges[row].map(shownRange).join(' | ')} |`),
  ].join('\n')
}

/** Describes the machines that the chart comes from. */
function machinesOf({ groups }) {
  const machines = PANELS.flatMap(({ group }) => groups[group]?.machine ?? [])
  if (machines.length === 0) return ''
  const distinct = (member) => [...new Set(machines.map((machine) => machine[member]))].join(' or ')
  return [
    `The chart shows the latest measurements, with one core for each server: ${distinct('cpu')}, Node.js ${distinct('node').replaceAll('v', '')}.`,
    '[All results](bench/results/full.md) name the machine of each.\n',
  ].join('\n')
}

/** Renders the figures for the README. */
export function figuresOf(results, runs) {
  return [
    'Calls per second of a small tool. 2× means that Portcall answers twice as many calls:',
    '',
    rangesTable(runs),
    '',
    'The first column is a server for exactly this tool, written by hand for speed: it validates nothing, limits nothing, and serializes most of each',
    `response in advance. A range covers all protocol versions in ${runs.length} runs, on an idle machine and under heavy load. Measure on your machine:`,
    '',
    '<!-- not run: takes half an hour -->',
    '```sh',
    COMMAND,
    '```',
    '',
    '![Calls per second](bench/results/chart.svg)',
    '',
    `${machinesOf(results)}See [Benchmarks](docs/reference/benchmarks.md) for the method.`,
  ].join('\n')
}
