import { takesPart } from './each.mjs'

/** The list, begun at another place each round, so that nobody always comes first. */
const rotated = (list, by) => [...list.slice(by % list.length), ...list.slice(0, by % list.length)]

/** Keeps the samples of a group, and who failed: a subject that failed takes no further part, for its figures would mean nothing. */
function createBook(group) {
  const rows = new Map()
  const failures = []
  return {
    rows: () => [...rows.values()],
    failures,
    hasFailed: (name) => failures.some(({ subject }) => subject === name),
    keep({ cell, subject, turn }, sample) {
      const key = `${cell} ${subject}`
      if (!rows.has(key)) rows.set(key, { group: group.id, cell, subject, samples: [] })
      rows.get(key).samples[turn] = sample
    },
    /** Runs a step of a subject; gives nothing when that fails. */
    async attempt({ cell, subject }, step) {
      try {
        return await step()
      } catch (error) {
        failures.push({ subject, cell, error: error.message })
        return undefined
      }
    },
  }
}

/** The cells that a group measures at once: each alone, or all. */
const batchesOf = ({ cells, measureAll }) => (measureAll ? [cells] : cells.map((cell) => [cell]))

const measureBatch = async (group, handle, cells, settings) =>
  group.measureAll ? group.measureAll(handle, cells, settings) : [await group.measure(handle, cells[0], settings)]

/** One turn: every cell by every subject, so that a machine that slows down slows all alike. */
async function takeTurn(group, names, { handles, settings, turn, book }) {
  for (const batch of batchesOf(group))
    for (const subject of rotated(names, turn)) {
      const cells = batch.filter((cell) => takesPart(cell, subject))
      if (cells.length === 0 || book.hasFailed(subject)) continue
      const where = { cell: cells.map(({ id }) => id).join(', '), subject }
      const samples = await book.attempt(where, () => measureBatch(group, handles.get(subject), cells, settings))
      for (const [nth, sample] of samples?.entries() ?? []) if (sample) book.keep({ cell: cells[nth].id, subject, turn }, sample)
    }
}

/** One round: all are started, have their turns, and end. */
async function runRound(group, names, { settings, round, book }) {
  const handles = new Map()
  for (const subject of names) {
    const handle = await book.attempt({ subject }, () => group.open(subject, settings))
    if (handle) handles.set(subject, handle)
  }
  const { turns = 1 } = group
  for (let turn = round * turns; turn < (round + 1) * turns; turn++)
    await takeTurn(group, names, { handles, settings, turn, book })
  for (const handle of handles.values()) await handle.close()
}

/**
 * Measures a group: several rounds, each of several turns of every cell by every subject.
 *
 * @param {import('../workloads/index.mjs').Group} group
 * @param {object} how `names` of the subjects, `rounds`, `roundsOf(name)` for those that take part in fewer, `settings`
 * @returns {Promise<{ rows: Row[], failures: Failure[] }>} one row a cell and subject, with its sample of each turn
 *
 * @typedef {{ group: string, cell: string, subject: string, samples: (Record<string, number> | null)[] }} Row
 * @typedef {{ subject: string, cell?: string, error: string }} Failure
 */
export async function runGroup(group, { names, rounds, roundsOf, settings }) {
  const book = createBook(group)
  for (let round = 0; round < rounds; round++) {
    const taking = names.filter((name) => round < roundsOf(name) && !book.hasFailed(name))
    await runRound(group, taking, { settings, round, book })
  }
  const failed = book.rows().filter(({ subject }) => book.hasFailed(subject))
  return { rows: book.rows().filter((row) => !failed.includes(row)), failures: book.failures }
}
