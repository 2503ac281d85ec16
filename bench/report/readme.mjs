import { SUBJECTS } from '../subjects.mjs'
import { rangeOf, ratiosOf, shownRange } from './ranges.mjs'

const HTTP = ['http/modern', 'http/session', 'http/stateless']
const STDIO = ['stdio/modern', 'stdio/session']

/** The rows of the table in the README. */
const ROWS = [
  { title: 'HTTP, one client', groups: HTTP, cells: ['c1'] },
  { title: 'HTTP, 16 to 64 clients', groups: HTTP, cells: ['c16', 'c64'] },
  { title: 'stdio, one call at a time', groups: STDIO, cells: ['c1'] },
  { title: 'stdio, 64 calls in flight', groups: STDIO, cells: ['c64'] },
]

/** The columns: the subjects that Portcall is compared with. */
const COLUMNS = [
  { subject: 'baseline', title: 'tuned, hand-written server' },
  { subject: 'official-2', title: SUBJECTS['official-2'].title.replace('official', 'official SDK') },
  { subject: 'official-1', title: SUBJECTS['official-1'].title.replace('official', 'official SDK') },
  { subject: 'fastmcp', title: SUBJECTS.fastmcp.title },
  { subject: 'tmcp', title: SUBJECTS.tmcp.title },
]

const METRIC = 'perSecond'

/** The command that measures these rows again. */
const COMMAND = 'npm run bench -- --only http,stdio'

function line({ title, groups, cells }, results) {
  const shown = COLUMNS.map(({ subject }) => shownRange(rangeOf(ratiosOf(results, { groups, cells, subject, metric: METRIC }))))
  return `| ${title} | ${shown.join(' | ')} |`
}

/** Renders the ranges as a table: how many times more calls a second Portcall answers. */
export function rangesTable(results) {
  return [
    `| | ${COLUMNS.map(({ title }) => title).join(' | ')} |`,
    `|---|${'--:|'.repeat(COLUMNS.length)}`,
    ...ROWS.map((row) => line(row, results)),
  ].join('\n')
}

/** Says which machine the chart comes from. */
function machineOf({ groups }) {
  const { cpu, node } = groups['http/modern']?.machine ?? {}
  return cpu ? `The chart shows one run: Node ${node}, one core of ${cpu} for each server. ` : ''
}

/** Renders the figures for the README. */
export function figuresOf(results) {
  return [
    'Calls a second of a small tool, as a multiple of the same tool on:',
    '',
    rangesTable(results),
    '',
    'The tuned server is written by hand on `node:http`, or on stdin and stdout. It validates nothing and serializes all it can in advance. A range covers all protocol',
    'versions and four of five measurements. Measure on your machine:',
    '',
    '<!-- not run: takes half an hour -->',
    '```sh',
    COMMAND,
    '```',
    '',
    '![Calls a second](bench/results/chart.svg)',
    '',
    `${machineOf(results)}See [Benchmarks](docs/reference/benchmarks.md) and [all figures](bench/results/full.md).`,
  ].join('\n')
}
