import { ratioOf } from '../harness/statistics.mjs'

const OURS = 'portcall'

/** Returns the ratio of Portcall to a subject in each of some cells: the median of its turns. */
export function ratiosOf({ groups: measured }, { groups, cells, subject, metric }) {
  const rows = groups.flatMap((group) => measured[group]?.rows ?? [])
  return rows
    .filter((row) => row.subject === OURS && cells.includes(row.cell))
    .flatMap(({ group, cell, samples }) => {
      const other = rows.find((row) => row.group === group && row.cell === cell && row.subject === subject)
      return other ? [ratioOf(samples, other.samples, metric)] : []
    })
    .filter(Number.isFinite)
}

/** Returns the lowest and the highest of some ratios. Undefined if there are none. */
export const rangeOf = (ratios) => (ratios.length ? [Math.min(...ratios), Math.max(...ratios)] : undefined)

/** The step that a ratio is rounded to: ranges are made to hold on other machines too. */
const stepOf = (ratio) => (ratio < 3 ? 0.1 : ratio < 20 ? 1 : 5)

/** Rounds a range outwards and formats it. */
export function shownRange(range) {
  if (!range) return '–'
  const [low, high] = range.map((ratio, end) => {
    const step = stepOf(ratio)
    const digits = step < 1 ? 1 : 0
    return ((end ? Math.ceil : Math.floor)(Number((ratio / step).toFixed(6))) * step).toFixed(digits)
  })
  return low === high ? `${low}×` : `${low}–${high}×`
}
