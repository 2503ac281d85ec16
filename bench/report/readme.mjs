import { median, ratioOf } from '../harness/statistics.mjs'
import { SUBJECTS } from '../subjects.mjs'
import { METRICS } from './metrics.mjs'
import { summaryOf } from './page.mjs'

/** The rows of the table in the README. */
const HIGHLIGHTS = [
  { group: 'http/modern', cell: 'c64', title: 'HTTP, 2026-07-28, 64 clients' },
  { group: 'http/session', cell: 'c64', title: 'HTTP, 2025-11-25 with sessions, 64 clients' },
  { group: 'http/stateless', cell: 'c64', title: 'HTTP, 2025-11-25 without sessions, 64 clients' },
  { group: 'tools/modern', cell: 't1000', title: 'the first with 1,000 tools, 16 clients' },
  { group: 'stdio/modern', cell: 'c64', title: 'stdio, 2026-07-28, 64 in flight' },
  { group: 'stdio/session', cell: 'c64', title: 'stdio, 2025-11-25, 64 in flight' },
]

const METRIC = 'perSecond'
const OURS = 'portcall'
const BASELINE = 'baseline'

const times = (ratio) => (ratio === undefined ? '–' : `${ratio.toFixed(ratio < 10 ? 2 : 0)}×`)

/** Returns the fastest peer on Node in some rows: its title, and how many times faster Portcall is. */
function nextOf(rows, ours) {
  const peers = rows.filter(({ subject }) => SUBJECTS[subject].peer && !SUBJECTS[subject].foreign)
  const compared = peers.map(({ subject, samples }) => ({ subject, ratio: ratioOf(ours, samples, METRIC) }))
  const [next] = compared.filter(({ ratio }) => ratio !== undefined).sort((a, b) => a.ratio - b.ratio)
  return next ? `${times(next.ratio)} ${SUBJECTS[next.subject].title}` : '–'
}

function line({ group, cell, title }, { groups }) {
  const rows = (groups[group]?.rows ?? []).filter((row) => row.cell === cell)
  const samplesOf = (subject) => rows.find((row) => row.subject === subject)?.samples
  const ours = samplesOf(OURS)
  if (!ours) return []
  const perSecond = METRICS[METRIC].show(median(ours.map((sample) => sample?.[METRIC])))
  return [`| ${title} | ${perSecond} | ${times(ratioOf(ours, samplesOf(BASELINE) ?? [], METRIC))} | ${nextOf(rows, ours)} |`]
}

/** Renders the figures for the README. */
export function figuresOf(results) {
  return [
    '| `tools/call` | calls a second | against a server written by hand | against the next in TypeScript |',
    '|---|--:|--:|--:|',
    ...HIGHLIGHTS.flatMap((highlight) => line(highlight, results)),
    '',
    '![Requests a second](bench/results/chart.svg)',
    '',
    `One server process on one core. ${summaryOf(results)} [All figures](bench/results/full.md), and [how to get yours](docs/reference/benchmarks.md).`,
  ].join('\n')
}
