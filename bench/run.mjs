/** `npm run bench [-- --quick] [--only GROUP,…] [--subjects NAME,…] [--rounds N] [--against DIR] [--list] [--smoke]`: compares Portcall with the baseline and with peers. */

import { availableOf } from './harness/available.mjs'
import { endLoad } from './harness/load.mjs'
import { keepResult, machineLoad, readResults } from './harness/results.mjs'
import { runGroup } from './harness/rounds.mjs'
import { judge } from './harness/verdict.mjs'
import { readOptions } from './options.mjs'
import { tableOf } from './report/table.mjs'
import { targetsTable } from './report/targets.mjs'
import { writeReport } from './report/write.mjs'
import { smoke } from './smoke.mjs'
import { SUBJECTS } from './subjects.mjs'
import { TARGETS } from './targets.mjs'
import { GROUPS } from './workloads/index.mjs'

/** The number of rounds of peers; few are enough because they are much slower. */
const PEER_ROUNDS = 2

const options = readOptions()
const { kind } = options

const beginsWith = (id, start) => id === start || id.startsWith(`${start}/`)
const groups = GROUPS.filter(({ id }) => options.only.length === 0 || options.only.some((start) => beginsWith(id, start)))
const unknown = options.only.find((start) => !GROUPS.some(({ id }) => beginsWith(id, start)))
if (unknown !== undefined) {
  console.error(`No group begins with ${unknown}: --list shows all`)
  process.exit(1)
}

async function measure(group, available) {
  const missing = await group.prepare?.()
  if (missing) return console.error(`without ${group.id}: ${missing}`)
  const rounds = options.rounds ?? group.rounds
  const before = machineLoad()
  const startedAt = performance.now()
  const { rows, failures } = await runGroup(group, {
    names: group.subjects.filter((name) => available.includes(name)),
    rounds,
    roundsOf: (name) => (SUBJECTS[name].peer ? Math.min(rounds, group.peerRounds ?? PEER_ROUNDS) : rounds),
    settings: options.settings,
  })
  const load = { before, after: machineLoad() }
  keepResult(kind, group.id, { load, rows })
  for (const { subject, cell, error } of failures) console.error(`FAILED ${group.id} ${cell ?? ''} ${subject}: ${error}`)
  if (failures.length) process.exitCode = 1
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`\n${tableOf(group, rows)}\n\n${group.id}: ${seconds} s, load ${load.before[0]} before, ${load.after[0]} after`)
}

async function measureAll() {
  const available = await availableOf(groups.flatMap(({ subjects }) => subjects).filter(options.isSubject))
  for (const group of groups) await measure(group, available)
  const measured = new Set(groups.map(({ id }) => id))
  const verdicts = judge(TARGETS, readResults(kind)).filter(({ group }) => measured.has(group))
  const shown = kind === 'full' ? verdicts : verdicts.filter(({ figure }) => figure !== undefined)
  console.log(`\n${targetsTable(shown)}`)
  if (kind === 'full') writeReport()
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

if (options.list) for (const { id, title, subjects } of groups) console.log(`${id}: ${title} (${subjects.join(', ')})`)
else if (options.smoke) await smoke(groups)
else await measureAll()
endLoad()
