import { takesPart } from './each.mjs'

/** Rotates the list by one position each round, so that no subject always comes first. */
const rotated = (list, by) => [...list.slice(by % list.length), ...list.slice(0, by % list.length)]

/** Collects the samples and failures of a group. A subject that failed is skipped from then on, because its results are meaningless. */
function createBook(group) {
  const rows = new Map()
  const failures = []
  return {
    rows: () => [...rows.values()],
    failures,
    hasFailed: (name) => failures.some(({ subject }) => subject === name),
    keep({ cell, subject, turn }, sample) {
      const key = `${cell.id} ${subject}`
      if (!rows.has(key)) rows.set(key, { group: group.id, cell: cell.id, subject, samples: [] })
      rows.get(key).samples[turn] = sample
    },
    /** Runs a step for subjects. Returns undefined when it fails. */
    async attempt(places, step) {
      try {
        return await step()
      } catch (error) {
        failures.push(...places.map(({ subject, cell }) => ({ subject, cell: cell?.id, error: error.message })))
        return undefined
      }
    },
  }
}

/** Returns everything that is measured in a turn, in order; items that are measured alternately are grouped. */
function batchesOf({ cells, together }, names) {
  const batches = new Map()
  for (const cell of cells)
    for (const subject of names) {
      if (!takesPart(cell, subject)) continue
      const key = together?.(cell, subject) ?? `${cell.id} ${subject}`
      batches.set(key, [...(batches.get(key) ?? []), { cell, subject }])
    }
  return [...batches.values()]
}

const measureBatch = async (group, places, settings) =>
  places.length > 1
    ? group.measureAlternately(places, settings)
    : [await group.measure(places[0].handle, places[0].cell, settings)]

/** Runs one turn: every cell by every subject, so that a slow machine slows all of them. */
async function takeTurn(group, names, { handles, settings, turn, book }) {
  for (const batch of batchesOf(group, rotated(names, turn))) {
    const places = batch
      .filter(({ subject }) => !book.hasFailed(subject))
      .map((place) => ({ ...place, handle: handles.get(place.subject) }))
    if (places.length === 0) continue
    const samples = await book.attempt(places, () => measureBatch(group, places, settings))
    for (const [nth, sample] of samples?.entries() ?? []) if (sample) book.keep({ ...places[nth], turn }, sample)
  }
}

/** Runs one round: starts all subjects, runs their turns, and stops them. */
async function runRound(group, names, { settings, round, book }) {
  const handles = new Map()
  for (const subject of names) {
    const handle = await book.attempt([{ subject }], () => group.open(subject, settings))
    if (handle) handles.set(subject, handle)
  }
  const { turns = 1 } = group
  for (let turn = round * turns; turn < (round + 1) * turns; turn++)
    await takeTurn(group, names, { handles, settings, turn, book })
  for (const handle of handles.values()) await handle.close()
}

/**
 * Measures a group in several rounds, each with several turns of every cell by every subject.
 *
 * @param {import('../workloads/index.mjs').Group} group
 * @param {object} how `names` of the subjects, `rounds`, `roundsOf(name)` for subjects with fewer rounds, `settings`
 * @returns {Promise<{ rows: Row[], failures: Failure[] }>} one row per cell and subject, with its sample of each turn
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
