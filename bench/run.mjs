/** `npm run bench [-- --quick] [--only GROUP,…] [--subjects NAME,…] [--rounds N] [--list]`: Portcall against the floor and its peers. */
import { loadavg } from 'node:os'
import { endLoad } from './frame/load.mjs'
import { runGroup } from './frame/rounds.mjs'
import { readOptions } from './options.mjs'
import { tableOf } from './report/table.mjs'
import { SUBJECTS } from './subjects.mjs'
import { GROUPS } from './workloads/index.mjs'

const options = readOptions()

const wanted = ({ id }) => options.only.length === 0 || options.only.some((start) => id === start || id.startsWith(`${start}/`))
const namesFor = ({ subjects }) => subjects.filter((name) => options.subjects.length === 0 || options.subjects.includes(name))

async function measure(group) {
  const rounds = options.rounds ?? group.rounds
  const rows = await runGroup(group, {
    names: namesFor(group),
    rounds,
    roundsOf: (name) => (SUBJECTS[name].peer ? Math.min(rounds, options.peerRounds) : rounds),
    settings: options.settings,
  })
  console.log(`\n${tableOf(group, rows)}`)
  return rows
}

const groups = GROUPS.filter(wanted)
if (options.list) for (const { id, title, subjects } of groups) console.log(`${id}: ${title} (${subjects.join(', ')})`)
else {
  console.log(
    `load average ${loadavg()
      .map((value) => value.toFixed(2))
      .join(' ')}`,
  )
  for (const group of groups) await measure(group)
  endLoad()
  console.log(
    `\nload average ${loadavg()
      .map((value) => value.toFixed(2))
      .join(' ')}`,
  )
}
