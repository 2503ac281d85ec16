/** Reports whether a text matches a pattern in which `*` stands for one segment of a path and `**` for any number of segments. */
export function matchesGlob(text: string, pattern: string): boolean {
  const source = pattern
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('')
  return new RegExp(`^${source}$`).test(text)
}
