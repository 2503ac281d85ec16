/** Scores how well a text matches what was typed: higher is better, 0 is no match. Every word has to occur; starts of words count more. */
export function matchScore(text: string, query: string): number {
  const haystack = text.toLowerCase()
  let score = 1
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const index = haystack.indexOf(word)
    if (index < 0) return 0
    const startsWord = index === 0 || /[\s/_.:-]/.test(haystack[index - 1] ?? '')
    score += (startsWord ? 4 : 1) + (index === 0 ? 2 : 0) + word.length / Math.max(1, haystack.length)
  }
  return score
}

/** Returns the items that match, best first; all of them for an empty query. */
export function filterBy<T>(items: readonly T[], query: string, textOf: (item: T) => string): T[] {
  if (query.trim() === '') return [...items]
  const scored = items.map((item) => ({ item, score: matchScore(textOf(item), query) })).filter(({ score }) => score > 0)
  return scored.sort((a, b) => b.score - a.score).map(({ item }) => item)
}
