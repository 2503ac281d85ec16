/** Reports whether a subject takes part in a cell. */
export const takesPart = ({ subjects }, name) => !subjects || subjects.includes(name)

/**
 * Returns the handle of a group that needs a server per cell. All are open at once, so that cells can be measured in turn.
 *
 * @param {import('../workloads/index.mjs').Cell[]} cells
 * @param {string} name of the subject
 * @param {(cell: import('../workloads/index.mjs').Cell) => Promise<import('../workloads/index.mjs').Handle>} open
 * @returns {Promise<{ of(cell: { id: string }): object, close(): Promise<unknown> }>}
 */
export async function openEach(cells, name, open) {
  const opened = new Map()
  for (const cell of cells) if (takesPart(cell, name)) opened.set(cell.id, await open(cell))
  return { of: ({ id }) => opened.get(id), close: () => Promise.all([...opened.values()].map((one) => one.close())) }
}
