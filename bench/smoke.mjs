/** Checks that each workload runs, without judging its results. */
import { createReport } from '../tools/lib/report.mjs'
import { takesPart } from './harness/each.mjs'
import { runGroup } from './harness/rounds.mjs'

/** How long a workload is tried, in milliseconds; longer if there were too few responses, as on a busy machine. */
const MOMENTS = [40, 400, 4000]
/** How long a workload may take in all. */
const LIMIT_MS = 120_000
const SUBJECTS = ['baseline', 'direct', 'proxy', 'copy', 'portcall']

/** Returns the missing figures of a group's rows. */
function gaps({ cells, columns }, names, rows) {
  const expected = cells.flatMap((cell) => names.filter((name) => takesPart(cell, name)).map((name) => ({ cell: cell.id, name })))
  return expected.flatMap(({ cell, name }) => {
    const sample = rows.find((row) => row.cell === cell && row.subject === name)?.samples[0]
    const missing = columns.filter((metric) => !Number.isFinite(sample?.[metric]))
    return missing.map((metric) => `${cell}: ${name} has no ${metric}`)
  })
}

/** Reduces a group to its smallest and its largest cell. */
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

/** Tries a group, or says that it does not end. */
async function tryInTime(group) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS, [`it did not end within ${LIMIT_MS / 1000} s`])
  })
  const faults = await Promise.race([tryGroup(group), late])
  clearTimeout(timer)
  return faults
}

/** Runs each group that needs no installation once, with Portcall and what it is compared with; prints `N passed, N failed` at the end. */
export async function smoke(groups) {
  const report = createReport('bench: each workload for a moment')
  for (const group of groups.filter(({ prepare }) => !prepare)) {
    const startedAt = performance.now()
    const faults = await tryInTime(shortened(group))
    report.check(`${group.id}, ${Math.round(performance.now() - startedAt)} ms`, faults)
  }
  report.end()
  // A workload that did not end would keep the process running.
  process.exit()
}
