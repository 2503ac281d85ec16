/** Stores the indexed content of notes between restarts. */
import type { KeyValueStore } from 'portcall/stores'
import type { Note } from './folder.ts'
import type { Summary } from './search.ts'

/** The stored content of a note, with the state of its file at that time. */
export interface Kept extends Note {
  readonly summary: Summary
}

export interface Shelf {
  /** All stored entries, by the paths of the notes. */
  load(): Promise<Map<string, Kept>>
  put(path: string, kept: Kept): Promise<void>
  drop(path: string): Promise<void>
}

/** Entries that were not used for this long are read again. */
const TTL_MS = 30 * 24 * 3600_000
const PAGE = 1000

/** Creates an index store for the notes of one folder. It is only a cache: failed writes are reported, and the notes are read again at the next start. */
export function createShelf(store: KeyValueStore, root: string): Shelf {
  const prefix = `notes/index/1/${root}/`
  const lament = (error: Error): void => console.error(`The index is not kept: ${error.message}`)
  const read = async (key: string): Promise<[string, Kept][]> => {
    const kept = parse(await store.get(key))
    return kept ? [[key.slice(prefix.length), kept]] : []
  }
  const loadAll = async (): Promise<Map<string, Kept>> => {
    const all = new Map<string, Kept>()
    let keys: string[] = []
    do {
      const after = keys.at(-1)
      keys = await store.list(prefix, { limit: PAGE, ...(after !== undefined && { after }) })
      for (const [path, kept] of (await Promise.all(keys.map(read))).flat()) all.set(path, kept)
    } while (keys.length === PAGE)
    return all
  }

  return {
    load: () =>
      loadAll().catch((error: Error) => {
        lament(error)
        return new Map()
      }),
    async put(path, { size, modified, summary }) {
      const text = JSON.stringify({ size, modified: modified.getTime(), summary })
      await store.set(prefix + path, text, { ttlMs: TTL_MS }).catch(lament)
    },
    drop: (path) => store.delete(prefix + path).catch(lament),
  }
}

function parse(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined
  const { size, modified, summary } = JSON.parse(text)
  return { size, modified: new Date(modified), summary }
}
