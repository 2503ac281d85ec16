/** The notes of a folder and their search index, updated while files change. */
import type { KeyValueStore } from 'portcall/stores'
import { type Folder, type Note, openFolder } from './folder.ts'
import { createIndex, type Index, summarise } from './search.ts'
import { createShelf, type Shelf } from './shelf.ts'
import { createWatch } from './watch.ts'

/** Changes since the last scan. */
export interface Changes {
  /** Notes were added or removed. */
  readonly listed: boolean
  /** Paths of notes that were modified or deleted. */
  readonly updated: readonly string[]
}

export interface Notebook extends Pick<Folder, 'root' | 'read' | 'size' | 'write' | 'remove'> {
  readonly index: Pick<Index, 'search' | 'title' | 'notes' | 'words'>
  /** All notes by path, sorted. */
  notes(): ReadonlyMap<string, Note>
  /** Reads every note again. */
  reindex(onNote: (done: number, total: number, path: string) => void | Promise<void>): Promise<void>
  /** Registers a listener for changes, whoever made them. */
  onChange(listener: (changes: Changes) => void): void
}

/** Opens a folder. With a store, the index is stored there, and the next start only reads notes that have changed. */
export async function openNotebook(path: string, store?: KeyValueStore): Promise<Notebook> {
  const folder = await openFolder(path)
  const shelf = store && createShelf(store, folder.root)
  const index = createIndex()
  const listeners: ((changes: Changes) => void)[] = []
  let known: ReadonlyMap<string, Note> = await unpack(index, shelf)
  let last = Promise.resolve()

  const look = async (): Promise<void> => {
    const { notes, folders } = await folder.scan()
    watch.follow(folders)
    const isNew = (path: string): boolean => !known.has(path)
    const hasChanged = (path: string): boolean => !isNew(path) && stamp(known.get(path)) !== stamp(notes.get(path))
    const added = [...notes.keys()].filter(isNew)
    const updated = [...known.keys()].filter(hasChanged)
    const listed = added.length > 0 || updated.some((path) => !notes.has(path))
    for (const path of [...added, ...updated]) await readInto(path, notes.get(path))
    known = notes
    if (listed || updated.length > 0) for (const listener of listeners) listener({ listed, updated })
  }
  const readInto = async (path: string, note: Note | undefined): Promise<void> => {
    const text = await folder.read(path).catch(() => '')
    if (!note || text === undefined) {
      index.drop(path)
      void shelf?.drop(path)
      return
    }
    const summary = summarise(text)
    index.put(path, summary)
    void shelf?.put(path, { ...note, summary })
  }
  /** Runs scans one after the other. */
  const refresh = (): Promise<void> => {
    last = last.catch(() => {}).then(look)
    return last
  }
  const watch = createWatch(() => void refresh().catch((error: Error) => console.error(error.message)))

  await refresh()
  return {
    root: folder.root,
    index,
    notes: () => known,
    read: folder.read,
    size: folder.size,
    async write(path, text, options) {
      await folder.write(path, text, options)
      await refresh()
    },
    async remove(path) {
      await folder.remove(path)
      await refresh()
    },
    async reindex(onNote) {
      await refresh()
      const all = [...known]
      for (const [done, [path, note]] of all.entries()) {
        await readInto(path, note)
        await onNote(done + 1, all.length, path)
      }
    },
    onChange: (listener) => void listeners.push(listener),
  }
}

/** Fills an index from the stored entries. */
async function unpack(index: Index, shelf: Shelf | undefined): Promise<ReadonlyMap<string, Note>> {
  const kept = (await shelf?.load()) ?? new Map()
  for (const [path, { summary }] of kept) index.put(path, summary)
  return kept
}

const stamp = (note: Note | undefined): string | undefined => note && `${note.size} ${note.modified.getTime()}`
