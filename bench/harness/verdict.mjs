import { SUBJECTS } from '../subjects.mjs'
import { median, ratioOf } from './statistics.mjs'

const OURS = 'portcall'
const PEERS = Object.keys(SUBJECTS).filter((name) => SUBJECTS[name].peer && !SUBJECTS[name].foreign)

/** Comparisons by the property of a target that requests them: from samples to the compared figure. */
const COMPARISONS = {
  to: ({ find, metric }, name) => {
    const others = (name === 'peers' ? PEERS : [name]).map((subject) => find({ subject })).filter(Boolean)
    const ratios = others.map((other) => ratioOf(find({}), other, metric)).filter((ratio) => ratio !== undefined)
    return ratios.length ? Math.min(...ratios) : undefined
  },
  toCell: ({ find, metric }, cell) => {
    const other = find({ cell })
    return other && ratioOf(find({}), other, metric)
  },
  over: ({ find, metric }, subject) => {
    const other = find({ subject })
    return other && median(find({}).map((sample, turn) => sample?.[metric] - other[turn]?.[metric]))
  },
}

function figureOf(target, measured) {
  if (!measured.find({})) return undefined
  const kind = Object.keys(COMPARISONS).find((name) => target[name] !== undefined)
  if (kind) return COMPARISONS[kind](measured, target[kind])
  return median(measured.find({}).map((sample) => sample?.[target.metric]))
}

const isMet = ({ least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }, figure) => figure >= least && figure <= most

/**
 * Compares results with targets and returns one verdict for each group and cell of each target.
 *
 * @param {import('../targets.mjs').Target[]} targets
 * @param {import('./results.mjs').Results} results
 * @returns {Verdict[]}
 *
 * @typedef {{ target: import('../targets.mjs').Target, group: string, cell: string, figure?: number, met?: boolean }} Verdict without
 *   `figure` if it was not measured; `met` is true if the target has no bound
 */
export function judge(targets, { groups }) {
  return targets.flatMap((target) =>
    target.groups.flatMap((group) =>
      target.cells.map((cell) => {
        const rows = groups[group]?.rows ?? []
        const find = ({ subject = OURS, cell: at = cell }) =>
          rows.find((row) => row.subject === subject && row.cell === at)?.samples
        const figure = figureOf(target, { find, metric: target.metric })
        return figure === undefined ? { target, group, cell } : { target, group, cell, figure, met: isMet(target, figure) }
      }),
    ),
  )
}
