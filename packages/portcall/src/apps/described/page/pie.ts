/** The drawing of a pie chart, with its legend. */
import type { ChartData } from '../read-data.ts'
import type { ChartSpec } from '../spec.ts'
import { h, locale, svg } from './dom.ts'
import { COLORS, tip, valueText } from './marks.ts'

const RADIUS = 100
const HOLE = 58
const FULL = 2 * Math.PI

/** Draws a ring with a part for each value. */
export function drawPie(
  spec: ChartSpec,
  { labels, series: [first] }: ChartData,
  { width, label }: { readonly width: number; readonly label: { readonly [name: string]: string } },
): HTMLElement {
  const values = (first?.values ?? []).map((value) => value ?? 0)
  const total = values.reduce((sum, value) => sum + value, 0)
  let start = 0
  const parts = values.map((value, index) => {
    const share = total === 0 ? 0 : value / total
    const part = svg(
      'path',
      { class: `s${index % COLORS}`, d: ring(start, share) },
      tip(spec, { title: '', label: labels[index] ?? '', value }),
    )
    start += share
    return part
  })
  const percent = (value: number): string =>
    (total === 0 ? 0 : value / total).toLocaleString(locale(), { style: 'percent', maximumFractionDigits: 1 })
  const size = Math.min(width, 2 * RADIUS + 20)
  return h(
    'div',
    { class: 'pie' },
    svg(
      'svg',
      { ...label, viewBox: `-${RADIUS + 2} -${RADIUS + 2} ${2 * RADIUS + 4} ${2 * RADIUS + 4}`, width: size, height: size },
      ...parts,
    ),
    h(
      'ul',
      { class: 'legend column' },
      ...labels.map((name, index) =>
        h(
          'li',
          { class: `s${index % COLORS}` },
          h('span', {}, name),
          h('span', { class: 'value' }, `${valueText(values[index], spec)} · ${percent(values[index] ?? 0)}`),
        ),
      ),
    ),
  )
}

/** Returns the path of a part of the ring. Places are shares of a full turn, from the top. */
function ring(start: number, share: number): string {
  // An arc cannot end where it starts.
  const end = start + Math.min(share, 0.99999)
  const point = (turn: number, radius: number): string =>
    `${(radius * Math.sin(turn * FULL)).toFixed(2)} ${(-radius * Math.cos(turn * FULL)).toFixed(2)}`
  const large = share > 0.5 ? 1 : 0
  return `M${point(start, RADIUS)}A${RADIUS} ${RADIUS} 0 ${large} 1 ${point(end, RADIUS)}L${point(end, HOLE)}A${HOLE} ${HOLE} 0 ${large} 0 ${point(start, HOLE)}Z`
}
