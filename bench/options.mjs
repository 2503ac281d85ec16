import { parseArgs } from 'node:util'

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  subjects: { type: 'string', default: '' },
  rounds: { type: 'string' },
  against: { type: 'string' },
  smoke: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
}

const names = (text) => text.split(',').filter(Boolean)

const FULL = { ms: 400, warmMs: 2000 }
const QUICK = { ms: 350, warmMs: 1000, rounds: 2 }
const QUICK_SUBJECTS = ['baseline', 'portcall', 'before', 'direct', 'proxy', 'copy', 'portcall-traced', 'bare-traced']

/**
 * Reads the command line. `only` are prefixes of group ids, empty for all; `isSubject` reports which subjects take part, in a quick run only
 * the comparisons that are quick to make; `rounds` overrides the rounds of the groups; `kind` is that of the results, `full` when all subjects
 * take part.
 */
export function readOptions() {
  const { values } = parseArgs({ options: OPTIONS })
  const { quick, smoke, list } = values
  const listed = names(values.subjects)
  const chosen = listed.length === 0 && quick ? QUICK_SUBJECTS : listed
  const { ms, warmMs, rounds } = quick ? QUICK : FULL
  return {
    kind: quick || chosen.length > 0 ? 'quick' : 'full',
    smoke,
    list,
    only: names(values.only).map((start) => start.replace(/\/$/, '')),
    isSubject: (name) => chosen.length === 0 || chosen.includes(name),
    settings: { ms, warmMs },
    rounds: values.rounds ? Number(values.rounds) : rounds,
  }
}
