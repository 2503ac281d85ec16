import { misused, type Stop } from '../stop.ts'

/** How many letters have to be changed, added or taken away to make one word of another. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries()) {
      const [above = 0, left = 0, corner = 0] = [row[j + 1], next[j], row[j]]
      next.push(Math.min(above + 1, left + 1, corner + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row[to.length] ?? 0
}

/** The name that was probably meant, when one is near. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const near = names
    .filter((name) => name.length < 100)
    .map((name) => ({ name, far: distance(word.slice(0, 100).toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.far - b.far)
  return near[0]?.name
}

/** Ends the command because there is nothing of this kind with this name. */
export function noSuch(kind: string, name: string, names: readonly string[]): Stop {
  return misused(`there is no ${kind} ${name}`, didYouMean(name, names))
}

/** A hint with the name that was probably meant, or all of them when they are few. */
export function didYouMean(word: string, names: readonly string[]): string | undefined {
  const name = nearest(word, names)
  if (name !== undefined) return `did you mean ${name}?`
  if (names.length === 0) return undefined
  return names.length > 12
    ? `there are ${names.length}, such as ${names.slice(0, 8).join(', ')}`
    : `there are ${names.join(', ')}`
}
