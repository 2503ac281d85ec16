import { median, ratioOf } from '../harness/statistics.mjs'
import { SUBJECTS } from '../subjects.mjs'
import { METRICS } from './metrics.mjs'

const BASELINE = 'baseline'

const show = (metric, value) => (value === undefined ? '' : METRICS[metric].show(value))
const times = (ratio) => (ratio === undefined ? '' : `${ratio.toFixed(2)}×`)

function line(row, baseline, { columns, cells }) {
  const cell = cells.find(({ id }) => id === row.cell)
  const medians = columns.map((metric) => show(metric, median(row.samples.map((sample) => sample?.[metric]))))
  const ratios = columns.map((metric) => (baseline ? times(ratioOf(row.samples, baseline.samples, metric)) : ''))
  const count = row.samples.filter(Boolean).length
  const values = medians.map((value, index) => `${value} | ${ratios[index]}`)
  return `| ${cell.title} | ${SUBJECTS[row.subject].title} | ${values.join(' | ')} | ${count} |`
}

/** Renders the rows of a group as a Markdown table: medians, each with its ratio to the baseline in the same turns. */
export function tableOf(group, rows) {
  const titles = group.columns.map((metric) => `${METRICS[metric].title} | vs baseline`)
  const lines = group.cells.flatMap((cell) => {
    const ofCell = rows.filter((row) => row.group === group.id && row.cell === cell.id)
    const baseline = ofCell.find(({ subject }) => subject === BASELINE)
    return ofCell.map((row) => line(row, baseline, group))
  })
  return [
    `### ${group.title}`,
    '',
    `| | | ${titles.join(' | ')} | samples |`,
    `|---|---|${'--:|'.repeat(group.columns.length * 2)}--:|`,
    ...lines,
  ].join('\n')
}
