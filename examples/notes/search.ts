/** Full-text search with an in-memory index of words. */

/** A note that matches a query. */
export interface Match {
  readonly path: string
  readonly title: string
  /** The first matching line, counted from 1, and its text. */
  readonly line: number
  readonly text: string
  /** How often the words occur. */
  readonly score: number
}

/** The indexed content of a note. */
export interface Summary {
  readonly title?: string
  /** Each word with the number of its occurrences and its first line. */
  readonly words: readonly (readonly [word: string, count: number, line: number])[]
  /** The lines with the first occurrence of a word. */
  readonly lines: Readonly<Record<number, string>>
}

export interface Index {
  readonly notes: number
  readonly words: number
  put(path: string, summary: Summary): void
  drop(path: string): void
  /** The first heading of a note. */
  title(path: string): string | undefined
  /** The notes that contain all words of a query, or words that start with them, best match first. */
  search(query: string, limit: number): { total: number; matches: Match[] }
}

interface Found {
  count: number
  line: number
}

const WORD = /[\p{L}\p{N}]+/gu
const MAX_LINE = 200
const wordsOf = (text: string): string[] => text.normalize('NFKC').toLowerCase().match(WORD) ?? []

/** Indexes the content of a note. */
export function summarise(text: string): Summary {
  const all = text.split(/\r?\n/)
  const words = new Map<string, Found>()
  const lines: Record<number, string> = {}
  for (const [line, content] of all.entries()) {
    for (const word of wordsOf(content)) {
      const before = words.get(word)
      if (before) before.count++
      else words.set(word, { count: 1, line })
      if (!before) lines[line] = content.trim().slice(0, MAX_LINE)
    }
  }
  const title = titleOf(all)
  return { ...(title && { title }), words: [...words].map(([word, { count, line }]) => [word, count, line]), lines }
}

export function createIndex(): Index {
  const notes = new Map<string, Summary>()
  const words = new Map<string, Map<string, Found>>()

  const drop = (path: string): void => {
    for (const [word] of notes.get(path)?.words ?? []) {
      const places = words.get(word)
      if (places?.delete(path) && places.size === 0) words.delete(word)
    }
    notes.delete(path)
  }

  /** Notes with words that start with a prefix: path → number of occurrences and first line. */
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
    put(path, summary) {
      drop(path)
      notes.set(path, summary)
      for (const [word, count, line] of summary.words) {
        const places = words.get(word) ?? new Map<string, Found>()
        words.set(word, places.set(path, { count, line }))
      }
    },
    drop,
    title: (path) => notes.get(path)?.title,
    search(query, limit) {
      const [first, ...others] = [...new Set(wordsOf(query))].map(lookUp)
      const paths = [...(first?.keys() ?? [])].filter((path) => others.every((other) => other.has(path)))
      const matches = paths.map((path) => {
        const found = [first, ...others].map((one) => one?.get(path) ?? { count: 0, line: 0 })
        const { title = path, lines = {} } = notes.get(path) ?? {}
        const line = Math.min(...found.map((one) => one.line))
        const score = found.reduce((sum, { count }) => sum + count, 0)
        return { path, title, line: line + 1, text: lines[line] ?? '', score }
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
