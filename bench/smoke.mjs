/** Tries whether each workload works, without looking at the figures. */
import { createReport } from '../tools/lib/report.mjs'
import { takesPart } from './frame/each.mjs'
import { runGroup } from './frame/rounds.mjs'

/** How long a workload is tried, in milliseconds: longer where too little happened for figures, as on a machine with much else to do. */
const MOMENTS = [40, 400, 4000]
const SUBJECTS = ['floor', 'portcall']

/** What is wrong with the rows of a group: figures that are not there. */
function gaps({ cells, columns }, names, rows) {
  const expected = cells.flatMap((cell) => names.filter((name) => takesPart(cell, name)).map((name) => ({ cell: cell.id, name })))
  return expected.flatMap(({ cell, name }) => {
    const sample = rows.find((row) => row.cell === cell && row.subject === name)?.samples[0]
    const missing = columns.filter((metric) => !Number.isFinite(sample?.[metric]))
    return missing.map((metric) => `${cell}: ${name} has no ${metric}`)
  })
}

/** A group with its least and its greatest cell: those between work as they do. */
const shortened = (group) => ({
  ...group,
  cells: group.cells.filter((_, index, { length }) => index === 0 || index === length - 1),
})

async function tryGroup(group, [ms, ...longer] = MOMENTS) {
  const names = group.subjects.filter((name) => SUBJECTS.includes(name))
  const settings = { ms, warmMs: MOMENTS[0], smoke: true }
  const { rows, failures } = await runGroup(group, { names, rounds: 1, roundsOf: () => 1, settings })
  if (failures.length) return failures.map(({ subject, cell, error }) => `${cell ?? 'start'}: ${subject}: ${error}`)
  const missing = gaps(group, names, rows)
  return missing.length && longer.length ? tryGroup(group, longer) : missing
}

/** Runs each group once, with the floor and Portcall; ends with `N passed, N failed`. */
export async function smoke(groups) {
  const report = createReport('bench: each workload for a moment')
  for (const group of groups) {
    const startedAt = performance.now()
    const faults = await tryGroup(shortened(group))
    report.check(`${group.id}, ${Math.round(performance.now() - startedAt)} ms`, faults)
  }
  report.end()
}
