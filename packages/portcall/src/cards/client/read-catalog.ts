import { isObject } from '../../jsonrpc/message.ts'
import { CARD_TYPE, CATALOG_TYPE, type CatalogEntry } from '../../protocol/server-card.ts'

/** The entries of a catalog that lead to servers, and the mistakes of it. */
export interface CatalogReading {
  readonly entries: readonly CatalogEntry[]
  /** Why the document is no catalog, or what was left out. */
  readonly problems: readonly string[]
  readonly isCatalog: boolean
}

const MAX_ENTRIES = 1000
const MAX_PROBLEMS = 20
const HIGHEST_MAJOR = 1
/** The types that earlier drafts used for a card. */
const CARD_TYPES: readonly string[] = [CARD_TYPE, 'application/mcp-server+json']

/** Reads a catalog: the current format, and those of earlier drafts. Entries of other types are skipped. */
export function readCatalog(document: unknown): CatalogReading {
  const refuse = (problem: string): CatalogReading => ({ entries: [], problems: [problem], isCatalog: false })
  if (!isObject(document)) return refuse('must be a JSON object')
  const { specVersion, entries } = document
  if (typeof specVersion !== 'string') return refuse('specVersion is missing')
  const major = /^(\d{1,6})\.\d{1,6}$/.exec(specVersion)?.[1]
  if (major === undefined && specVersion !== 'draft') return refuse('specVersion must be a version such as 1.0')
  if (Number(major ?? 0) > HIGHEST_MAJOR) return refuse('specVersion is newer than this program')
  if (!Array.isArray(entries)) return refuse('entries must be an array')
  const problems: string[] = []
  const report = (problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem)
  }
  if (entries.length > MAX_ENTRIES) report(`only the first ${MAX_ENTRIES} of ${entries.length} entries were read`)
  const found: CatalogEntry[] = []
  const seen = new Set<string>()
  for (const [at, entry] of entries.slice(0, MAX_ENTRIES).entries()) {
    const read = readEntry(entry, (message) => report(`entries[${at}] ${message}`))
    if (!read) continue
    const key = JSON.stringify([read.identifier, read.version])
    if (seen.has(key)) report(`entries[${at}] has the identifier of another entry`)
    else found.push(read)
    seen.add(key)
  }
  return { entries: found, problems, isCatalog: true }
}

function readEntry(entry: unknown, report: (message: string) => void): CatalogEntry | undefined {
  if (!isObject(entry)) return void report('must be an object')
  const type = entry.type ?? entry.mediaType
  if (typeof type !== 'string') return void report('has no type')
  const isCard = CARD_TYPES.includes(type.toLowerCase())
  if (!isCard && type.toLowerCase() !== CATALOG_TYPE) return undefined
  const { identifier, url, data, displayName, version } = entry
  if (typeof identifier !== 'string' || identifier === '') return void report('has no identifier')
  const hasUrl = typeof url === 'string'
  if (hasUrl === (data !== undefined)) return void report('must have either url or data')
  return {
    identifier,
    type: isCard ? CARD_TYPE : CATALOG_TYPE,
    ...(hasUrl ? { url } : { data }),
    ...(typeof displayName === 'string' && { displayName }),
    ...(typeof version === 'string' && { version }),
  }
}
