/** Full-text search: an index of words that is kept in memory. */

/** One note that was found. */
export interface Match {
  readonly path: string
  readonly title: string
  /** The first line that was found, counted from 1, and its text. */
  readonly line: number
  readonly text: string
  /** How often the words were found. */
  readonly score: number
}

export interface Index {
  readonly notes: number
  readonly words: number
  put(path: string, text: string): void
  drop(path: string): void
  /** The notes that have all words of a query, or words that begin with them; the best first. */
  search(query: string, limit: number): { total: number; matches: Match[] }
}

interface Found {
  count: number
  line: number
}

const WORD = /[\p{L}\p{N}]+/gu
const MAX_LINE = 200
const wordsOf = (text: string): string[] => text.normalize('NFKC').toLowerCase().match(WORD) ?? []

export function createIndex(): Index {
  const notes = new Map<string, { lines: readonly string[]; words: ReadonlySet<string> }>()
  const words = new Map<string, Map<string, Found>>()

  const drop = (path: string): void => {
    for (const word of notes.get(path)?.words ?? []) {
      const places = words.get(word)
      if (places?.delete(path) && places.size === 0) words.delete(word)
    }
    notes.delete(path)
  }

  /** Where words begin with a prefix: path → how often, and where first. */
  const lookUp = (prefix: string): Map<string, Found> => {
    const found = new Map<string, Found>()
    for (const [word, places] of words) {
      if (!word.startsWith(prefix)) continue
      for (const [path, { count, line }] of places) {
        const before = found.get(path) ?? { count: 0, line }
        found.set(path, { count: before.count + count, line: Math.min(before.line, line) })
      }
    }
    return found
  }

  return {
    get notes() {
      return notes.size
    },
    get words() {
      return words.size
    },
    put(path, text) {
      drop(path)
      const lines = text.split(/\r?\n/)
      const own = new Set<string>()
      notes.set(path, { lines, words: own })
      for (const [line, content] of lines.entries()) {
        for (const word of wordsOf(content)) {
          const places = words.get(word) ?? new Map<string, Found>()
          words.set(word, places)
          own.add(word)
          const before = places.get(path)
          if (before) before.count++
          else places.set(path, { count: 1, line })
        }
      }
    },
    drop,
    search(query, limit) {
      const [first, ...others] = [...new Set(wordsOf(query))].map(lookUp)
      const paths = [...(first?.keys() ?? [])].filter((path) => others.every((other) => other.has(path)))
      const matches = paths.map((path) => {
        const found = [first, ...others].map((one) => one?.get(path) ?? { count: 0, line: 0 })
        const lines = notes.get(path)?.lines ?? []
        const line = Math.min(...found.map((one) => one.line))
        const score = found.reduce((sum, { count }) => sum + count, 0)
        return { path, title: titleOf(lines) ?? path, line: line + 1, text: (lines[line] ?? '').trim().slice(0, MAX_LINE), score }
      })
      matches.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
      return { total: matches.length, matches: matches.slice(0, limit) }
    },
  }
}

function titleOf(lines: readonly string[]): string | undefined {
  return lines
    .find((line) => /^#+ \S/.test(line))
    ?.replace(/^#+ /, '')
    .trim()
}
