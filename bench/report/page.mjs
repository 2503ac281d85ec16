import { judge } from '../harness/verdict.mjs'
import { TARGETS } from '../targets.mjs'
import { GROUPS } from '../workloads/index.mjs'
import { tableOf } from './table.mjs'
import { isBound, targetsTable } from './targets.mjs'

/** Describes the machine, the time and the load of a measurement. */
function circumstances({ at, commit, machine, load }) {
  const { cpu, cores, system, node, pinned } = machine
  const placed = pinned
    ? 'server and load generator on a core each, unless the title says otherwise'
    : 'server and load generator wherever the system put them'
  return `${at.slice(0, 10)}, commit ${commit}, Node ${node}, ${cores} cores of ${cpu}, ${system}; ${placed}; load average ${load.before[0]} before, ${load.after[0]} after.`
}

/** Describes how many targets are met. */
export function summaryOf(results) {
  const judged = judge(TARGETS, results).filter(({ met, target }) => met !== undefined && isBound(target))
  return `${judged.filter(({ met }) => met).length} of ${judged.length} targets are met.`
}

/** Renders all results as a Markdown page. */
export function pageOf(results) {
  const groups = GROUPS.filter(({ id }) => results.groups[id])
  const parts = groups.map((group) => {
    const result = results.groups[group.id]
    return `${tableOf(group, result.rows)}\n\n${circumstances(result)}`
  })
  return [
    '# Figures',
    'Made by `npm run bench`. Medians over all turns; a ratio to the baseline is made in each turn, and the one in the middle counts.',
    '![Requests a second](chart.svg)',
    '## Targets',
    summaryOf(results),
    targetsTable(judge(TARGETS, results)),
    '## Workloads',
    ...parts,
    '',
  ].join('\n\n')
}
