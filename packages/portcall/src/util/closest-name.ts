/** Returns the Levenshtein distance of two words. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries()) {
      const [above = 0, left = 0, diagonal = 0] = [row[j + 1], next[j], row[j]]
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row[to.length] ?? 0
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
