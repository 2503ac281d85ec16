/** The notes of a folder and the index of their words, kept true while files change. */
import { type Folder, type Note, openFolder } from './folder.ts'
import { createIndex, type Index } from './search.ts'
import { createWatch } from './watch.ts'

/** What has happened since the last look. */
export interface Changes {
  /** Notes came or went. */
  readonly listed: boolean
  /** Paths of notes that were changed or deleted. */
  readonly updated: readonly string[]
}

export interface Notebook extends Pick<Folder, 'root' | 'read' | 'size' | 'write' | 'remove'> {
  readonly index: Pick<Index, 'search' | 'notes' | 'words'>
  /** All notes by their paths, sorted. */
  notes(): ReadonlyMap<string, Note>
  /** Reads every note again. */
  reindex(onNote: (done: number, total: number, path: string) => void | Promise<void>): Promise<void>
  /** Calls back after changes, whoever made them. */
  onChange(listener: (changes: Changes) => void): void
}

export async function openNotebook(path: string): Promise<Notebook> {
  const folder = await openFolder(path)
  const index = createIndex()
  const listeners: ((changes: Changes) => void)[] = []
  let known: ReadonlyMap<string, Note> = new Map()
  let last = Promise.resolve()

  const look = async (): Promise<void> => {
    const { notes, folders } = await folder.scan()
    watch.follow(folders)
    const isNew = (path: string): boolean => !known.has(path)
    const hasChanged = (path: string): boolean => !isNew(path) && stamp(known.get(path)) !== stamp(notes.get(path))
    const added = [...notes.keys()].filter(isNew)
    const updated = [...known.keys()].filter(hasChanged)
    const listed = added.length > 0 || updated.some((path) => !notes.has(path))
    for (const path of [...added, ...updated]) await readInto(path)
    known = notes
    if (listed || updated.length > 0) for (const listener of listeners) listener({ listed, updated })
  }
  const readInto = async (path: string): Promise<void> => {
    const text = await folder.read(path).catch(() => '')
    if (text === undefined) index.drop(path)
    else index.put(path, text)
  }
  /** One look after the other. */
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
      const paths = [...known.keys()]
      for (const [done, path] of paths.entries()) {
        await readInto(path)
        await onNote(done + 1, paths.length, path)
      }
    },
    onChange: (listener) => void listeners.push(listener),
  }
}

const stamp = (note: Note | undefined): string | undefined => note && `${note.size} ${note.modified.getTime()}`
