import { median } from '../harness/statistics.mjs'
import { SUBJECTS } from '../subjects.mjs'
import { METRICS } from './metrics.mjs'

/** The panels of the chart. */
export const PANELS = [
  { group: 'http/modern', cell: 'c64', title: 'HTTP, 2026-07-28, 64 clients' },
  { group: 'http/session', cell: 'c64', title: 'HTTP, 2025-11-25, 64 sessions' },
  { group: 'tools/modern', cell: 't1000', title: 'HTTP, 2026-07-28, 1,000 tools, 16 clients' },
  { group: 'stdio/modern', cell: 'c64', title: 'stdio, 2026-07-28, 64 in flight' },
]

const METRIC = 'perSecond'
const UNIT = 'calls a second'
const COLORS = { baseline: '#9aa4b2', portcall: '#2563eb' }
const OTHER = '#d1a054'

const SIZE = { width: 760, left: 190, bar: 16, gap: 6, title: 34, room: 90 }

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const text = (x, y, content, more = '') => `<text x="${x}" y="${y}"${more}>${escaped(content)}</text>`

/** Returns the bars of a panel, longest first. */
function barsOf({ group, cell }, { groups }) {
  const rows = (groups[group]?.rows ?? []).filter((row) => row.cell === cell)
  const bars = rows.map(({ subject, samples }) => ({ subject, value: median(samples.map((sample) => sample?.[METRIC])) }))
  return bars.sort((a, b) => b.value - a.value)
}

function drawBar({ subject, value }, { y, longest }) {
  const { width, left, bar, room } = SIZE
  const length = Math.max(1, Math.round((value / longest) * (width - left - room)))
  const middle = y + bar - 4
  const weight = subject === 'portcall' ? ' font-weight="bold"' : ''
  return [
    text(left - 8, middle, SUBJECTS[subject].title, ` text-anchor="end"${weight}`),
    `<rect x="${left}" y="${y}" width="${length}" height="${bar}" rx="2" fill="${COLORS[subject] ?? OTHER}"/>`,
    text(left + length + 6, middle, METRICS[METRIC].show(value), weight),
  ].join('')
}

function drawPanel({ title, bars }, top) {
  const { bar, gap } = SIZE
  const longest = Math.max(...bars.map(({ value }) => value))
  const drawn = bars.map((one, index) => drawBar(one, { y: top + SIZE.title + index * (bar + gap), longest }))
  const head = [
    text(12, top + 22, title, ' font-size="14" font-weight="bold"'),
    text(SIZE.width - 12, top + 22, UNIT, ' text-anchor="end"'),
  ]
  return [...head, ...drawn].join('\n')
}

const heightOf = ({ bars }) => SIZE.title + bars.length * (SIZE.bar + SIZE.gap) + SIZE.gap

/** Renders requests per second of all subjects as SVG; each panel has its own scale. */
export function chartOf(results) {
  const panels = PANELS.map((panel) => ({ ...panel, bars: barsOf(panel, results) })).filter(({ bars }) => bars.length > 0)
  let top = 0
  const drawn = panels.map((panel) => {
    const at = top
    top += heightOf(panel)
    return drawPanel(panel, at)
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${top}" font-family="sans-serif" font-size="12" fill="#1f2937">`,
    `<title>${UNIT}</title>`,
    `<rect width="${SIZE.width}" height="${top}" fill="#ffffff"/>`,
    ...drawn,
    '</svg>\n',
  ].join('\n')
}
