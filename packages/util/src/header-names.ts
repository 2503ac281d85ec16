/** Returns headers with names in lower case. Of names that differ in case only, the last one counts. */
export function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Returns how often a header was sent. `rawHeaders` are names and values in turn, as Node returns them. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  const wanted = name.toLowerCase()
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] as string
    if (sent.length === wanted.length && sent.toLowerCase() === wanted) count++
  }
  return count
}
