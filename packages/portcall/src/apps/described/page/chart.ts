/** A chart, as a drawing with its data beside it. */
import { type ChartData, readChart } from '../read-data.ts'
import type { ChartSpec } from '../spec.ts'
import { h, locale, svg } from './dom.ts'
import { COLORS, tip, valueText } from './marks.ts'
import { drawPie } from './pie.ts'
import { createScale } from './scale.ts'

/** The place for a drawing, px. */
interface Plot {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly x: (index: number) => number
  readonly y: (value: number) => number
}

const HEIGHT = 260
const [TOP, BOTTOM, RIGHT] = [12, 28, 8]
const CHARACTER_PX = 7
const LABEL_PX = 56
const SLOT_SHARE = 0.7
const MAX_BAR_PX = 64
/** More points than this have no dot each. */
const MAX_DOTS = 60

/** Draws a chart. It is drawn again when its width changes. */
export function drawChart(spec: ChartSpec, data: unknown): HTMLElement {
  const chart = readChart(spec, data, locale())
  const title = spec.title ?? 'Chart'
  const place = h('div', { class: 'plot' })
  const summary = summaryOf(spec, chart)
  let width = 0
  const draw = (): void => {
    const now = place.clientWidth
    if (now === 0 || now === width) return
    width = now
    const label = { role: 'img', 'aria-label': `${title}. ${summary}` }
    place.replaceChildren(spec.type === 'pie' ? drawPie(spec, chart, { width, label }) : drawAxes(spec, chart, { width, label }))
  }
  new ResizeObserver(draw).observe(place)
  const hasLegend = spec.type !== 'pie' && chart.series.length > 1
  return h(
    'section',
    { class: 'chart-view' },
    chart.labels.length === 0 ? h('p', { class: 'empty' }, 'There is no data') : place,
    hasLegend &&
      h(
        'ul',
        { class: 'legend' },
        ...chart.series.map(({ title: name }, index) => h('li', { class: `s${index % COLORS}` }, name)),
      ),
    chart.labels.length > 0 && h('details', {}, h('summary', {}, 'Show the data'), dataTable(spec, chart, title)),
  )
}

/** Returns the chart in words. */
function summaryOf(spec: ChartSpec, { labels, series }: ChartData): string {
  const kind = { bar: 'Bar chart', line: 'Line chart', pie: 'Pie chart' }[spec.type]
  const parts = series.map(({ title, values }) => {
    const known = values.map((value, index) => ({ value, label: labels[index] ?? '' })).filter(({ value }) => value !== undefined)
    const byValue = [...known].sort((one, other) => Number(one.value) - Number(other.value))
    const [least, most] = [byValue[0], byValue.at(-1)]
    if (!least || !most) return `${title}: no values`
    return `${title}: from ${valueText(least.value, spec)} (${least.label}) to ${valueText(most.value, spec)} (${most.label})`
  })
  return `${kind} with ${labels.length} values. ${parts.join('. ')}`
}

function dataTable(spec: ChartSpec, { labels, series }: ChartData, title: string): HTMLElement {
  const head = h('tr', {}, h('td'), ...series.map((one) => h('th', { scope: 'col', class: 'number' }, one.title)))
  const rows = labels.map((label, index) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, label),
      ...series.map(({ values }) => h('td', { class: 'number' }, valueText(values[index], spec))),
    ),
  )
  return h('table', { 'aria-label': title }, h('thead', {}, head), h('tbody', {}, ...rows))
}

interface Drawing {
  readonly width: number
  readonly label: { readonly [name: string]: string }
}

function drawAxes(spec: ChartSpec, chart: ChartData, { width, label }: Drawing): SVGElement {
  const all = chart.series.flatMap(({ values }) => values.filter((value) => value !== undefined))
  const isStacked = spec.stacked && spec.type === 'bar'
  const scale = createScale(isStacked ? sumsOf(chart) : all)
  const tickTexts = scale.ticks.map((tick) =>
    tick.toLocaleString(locale(), { notation: Math.abs(tick) >= 10_000 ? 'compact' : 'standard' }),
  )
  const left = Math.max(...tickTexts.map(({ length }) => length)) * CHARACTER_PX + 10
  const [innerWidth, innerHeight] = [Math.max(width - left - RIGHT, 1), HEIGHT - TOP - BOTTOM]
  const slot = innerWidth / chart.labels.length
  const plot: Plot = {
    left,
    top: TOP,
    width: innerWidth,
    height: innerHeight,
    x: (index) => left + (index + 0.5) * slot,
    y: (value) => TOP + (1 - scale.at(value)) * innerHeight,
  }
  const grid = scale.ticks.flatMap((tick, index) => [
    svg('line', { class: tick === 0 ? 'axis' : 'grid', x1: left, x2: width - RIGHT, y1: plot.y(tick), y2: plot.y(tick) }),
    svg('text', { x: left - 8, y: plot.y(tick), dy: '0.32em', 'text-anchor': 'end' }, tickTexts[index]),
  ])
  const every = Math.max(1, Math.ceil((chart.labels.length * labelWidth(chart.labels)) / innerWidth))
  const names = chart.labels.map((name, index) =>
    index % every === 0
      ? svg('text', { x: plot.x(index), y: HEIGHT - 8, 'text-anchor': 'middle' }, shortened(name, slot * every))
      : undefined,
  )
  const marks = spec.type === 'line' ? drawLines(spec, chart, plot) : drawBars(spec, chart, { plot, slot, isStacked })
  return svg('svg', { ...label, viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT }, ...grid, ...names, ...marks)
}

const labelWidth = (labels: readonly string[]): number =>
  Math.min(Math.max(...labels.map(({ length }) => length)) * CHARACTER_PX + 8, LABEL_PX)

function shortened(text: string, px: number): string {
  const most = Math.max(Math.floor(px / CHARACTER_PX), 3)
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

/** Returns the lowest and the highest ends of stacked bars. */
function sumsOf({ labels, series }: ChartData): number[] {
  return labels.flatMap((_, index) => {
    const values = series.map(({ values }) => values[index] ?? 0)
    const add = (sum: number, value: number): number => sum + value
    return [values.filter((value) => value > 0).reduce(add, 0), values.filter((value) => value < 0).reduce(add, 0)]
  })
}

interface Bars {
  readonly plot: Plot
  readonly slot: number
  readonly isStacked: boolean
}

function drawBars(spec: ChartSpec, { labels, series }: ChartData, { plot, slot, isStacked }: Bars): SVGElement[] {
  const count = isStacked ? 1 : series.length
  const width = Math.min((slot * SLOT_SHARE) / count, MAX_BAR_PX)
  return labels.flatMap((label, index) => {
    const values = series.map(({ values: all }) => all[index])
    const starts = isStacked ? stackedStarts(values) : values.map(() => 0)
    return series.flatMap(({ title }, number) => {
      const [value, from = 0] = [values[number], starts[number]]
      if (value === undefined) return []
      const [top, bottom] = [plot.y(Math.max(from, from + value)), plot.y(Math.min(from, from + value))]
      const left = plot.x(index) - (width * count) / 2 + (isStacked ? 0 : number * width)
      const size = { x: left + 0.5, y: top, width: Math.max(width - 1, 1), height: Math.max(bottom - top, 1), rx: 2 }
      return [
        svg(
          'rect',
          { class: `s${number % COLORS}`, ...size },
          tip(spec, { title: series.length > 1 ? title : '', label, value }),
        ),
      ]
    })
  })
}

/** Returns where the bars of a stack start: those below 0 go down. */
function stackedStarts(values: readonly (number | undefined)[]): number[] {
  let [up, down] = [0, 0]
  return values.map((value = 0) => {
    const start = value < 0 ? down : up
    if (value < 0) down += value
    else up += value
    return start
  })
}

function drawLines(spec: ChartSpec, { labels, series }: ChartData, plot: Plot): SVGElement[] {
  return series.flatMap(({ title, values }, number) => {
    let isPenUp = true
    const path = values.map((value, index) => {
      const command = isPenUp ? 'M' : 'L'
      isPenUp = value === undefined
      return value === undefined ? '' : `${command}${plot.x(index)} ${plot.y(value)}`
    })
    const dots = values.map((value, index) =>
      value === undefined
        ? undefined
        : svg(
            'circle',
            { class: `s${number % COLORS}`, cx: plot.x(index), cy: plot.y(value), r: labels.length > MAX_DOTS ? 2 : 3.5 },
            tip(spec, { title: series.length > 1 ? title : '', label: labels[index] ?? '', value }),
          ),
    )
    const line = svg('path', { class: `line s${number % COLORS}`, d: path.join('') })
    return [line, ...dots.filter((dot) => dot !== undefined)]
  })
}
