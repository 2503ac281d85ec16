const OURS = 'portcall'

/** The share of the ratios that is left out at each end of a range. */
const OUTLIERS = 0.1

/** Returns the ratios of Portcall to a subject in each turn of some cells. */
export function ratiosOf({ groups: measured }, { groups, cells, subject, metric }) {
  const rows = groups.flatMap((group) => measured[group]?.rows ?? [])
  return rows
    .filter((row) => row.subject === OURS && cells.includes(row.cell))
    .flatMap(({ group, cell, samples }) => {
      const others = rows.find((row) => row.group === group && row.cell === cell && row.subject === subject)?.samples ?? []
      return samples.map((sample, turn) => sample?.[metric] / others[turn]?.[metric])
    })
    .filter(Number.isFinite)
}

/** Returns the range that four of five ratios are in. Undefined if there are none. */
export function rangeOf(ratios) {
  const sorted = [...ratios].sort((a, b) => a - b)
  const skipped = Math.floor(sorted.length * OUTLIERS)
  return sorted.length ? [sorted[skipped], sorted[sorted.length - 1 - skipped]] : undefined
}

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
