/** The list, begun at another place each round, so that nobody always comes first. */
const rotated = (list, by) => [...list.slice(by % list.length), ...list.slice(0, by % list.length)]

/** Opens a subject for each name; closes what is open already when one fails. */
async function openAll(group, names, settings) {
  const handles = new Map()
  try {
    for (const name of names) handles.set(name, await group.open(name, settings))
  } catch (error) {
    await closeAll(handles)
    throw error
  }
  return handles
}

const closeAll = (handles) => Promise.all([...handles.values()].map((handle) => handle.close()))

/** One round: every cell by every subject in turn, so that a machine that slows down slows all alike. */
async function runRound(group, names, { settings, round, keep }) {
  const handles = await openAll(group, names, settings)
  try {
    for (const cell of group.cells)
      for (const name of rotated(names, round)) {
        if (cell.subjects && !cell.subjects.includes(name)) continue
        keep(cell, name, await group.measure(handles.get(name), cell, settings))
      }
  } finally {
    await closeAll(handles)
  }
}

/**
 * Measures a group: several rounds of every cell by every subject.
 *
 * @param {import('../workloads/index.mjs').Group} group
 * @param {object} how `names` of the subjects, `rounds`, `roundsOf(name)` for those that take part in fewer, `settings`, `onRound`
 * @returns {Promise<Row[]>} one row a cell and subject, with its sample of each round
 *
 * @typedef {{ group: string, cell: string, subject: string, samples: (Record<string, number> | null)[] }} Row
 */
export async function runGroup(group, { names, rounds, roundsOf, settings, onRound }) {
  const rows = new Map()
  for (let round = 0; round < rounds; round++) {
    onRound?.(round)
    const keep = (cell, subject, sample) => {
      const key = `${cell.id} ${subject}`
      if (!rows.has(key)) rows.set(key, { group: group.id, cell: cell.id, subject, samples: [] })
      rows.get(key).samples[round] = sample
    }
    const taking = names.filter((name) => round < roundsOf(name))
    await runRound(group, taking, { settings, round, keep })
  }
  return [...rows.values()]
}
