/** Returns how many letters have to be inserted, deleted, replaced or swapped with their neighbor to turn one word into another. */
function distance(from: string, to: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const [above = 0, left = 0, diagonal = 0] = [row?.[j], next[j - 1], row?.[j - 1]]
      const replaced = diagonal + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      next.push(Math.min(above + 1, left + 1, replaced, isSwap ? (before?.[j - 2] ?? 0) + 1 : Infinity))
    }
    ;[before, row] = [row, next]
  }
  return row?.at(-1) ?? 0
}

/** Returns the name that is most similar to a misspelled word, if one is similar enough. */
export function closestName(word: string, names: readonly string[]): string | undefined {
  const similar = names
    .filter((name) => name.length < 100)
    .map((name) => ({ name, edits: distance(word.slice(0, 100).toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.edits - b.edits)
  return similar[0]?.name
}
