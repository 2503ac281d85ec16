/**
 * Reports whether a text matches a pattern in which `*` stands for one segment of a path and `**` for any number of segments. Takes time that
 * is linear in the length of the text.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  const places = Array.from({ length: text.length + 1 }, (_, at) => at)
  let ends = places.map((at) => at === 0)
  for (const part of pattern.split(/(\*\*|\*)/).filter(Boolean)) {
    const starts = ends
    if (part === '**' || part === '*') {
      ends = []
      for (const at of places)
        ends.push(starts[at] === true || (ends[at - 1] === true && (part === '**' || text[at - 1] !== '/')))
    } else ends = places.map((at) => starts[at - part.length] === true && text.startsWith(part, at - part.length))
  }
  return ends[text.length] === true
}
