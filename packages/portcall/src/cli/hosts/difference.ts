/** What changes between two texts, as lines with `-` and `+`: one place, with the lines before and after that are alike left out. */
export function difference(before: string, after: string): string[] {
  const [old, young] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < Math.min(old.length, young.length) && old[head] === young[head]) head += 1
  let tail = 0
  while (tail < Math.min(old.length, young.length) - head && old.at(-1 - tail) === young.at(-1 - tail)) tail += 1
  return [
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...young.slice(head, young.length - tail).map((line) => `+ ${line}`),
  ]
}
