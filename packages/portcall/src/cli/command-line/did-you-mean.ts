import { type CliError, usageError } from '../cli-error.ts'

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

/** Returns a hint with the most similar name, or else with the available names. */
export function didYouMean(word: string, names: readonly string[]): string | undefined {
  const name = closestName(word, names)
  if (name !== undefined) return `did you mean ${name}?`
  if (names.length === 0) return undefined
  return names.length > 12
    ? `${names.length} are available, such as ${names.slice(0, 8).join(', ')}`
    : `available: ${names.join(', ')}`
}

/** Creates the error for a name that does not exist. */
export function unknownName(kind: string, name: string, names: readonly string[]): CliError {
  return usageError(`unknown ${kind}: ${name}`, didYouMean(name, names))
}

/** Returns the item of a list with this name. @throws CliError when there is none. */
export async function findByName<T extends { readonly name: string }>(
  kind: string,
  name: string,
  list: AsyncIterable<T>,
): Promise<T> {
  const names: string[] = []
  for await (const item of list) {
    if (item.name === name) return item
    names.push(item.name)
  }
  throw unknownName(kind, name, names)
}
