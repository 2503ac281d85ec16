import { type FSWatcher, readdirSync, type Stats, statSync, watch } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The files and folders that `watchTree` watches. */
export interface WatchTreeOptions {
  /** Selects the files by their absolute path. Default: all. */
  readonly isWatched?: (path: string) => boolean
  /** Selects the folders that are left out, by their name. Default: none. */
  readonly isIgnored?: (name: string) => boolean
  /** Called once if the tree has more than `MAX_WATCHED_ENTRIES` entries. The rest, which is deeper, is not watched. */
  readonly onTruncated?: () => void
}

/** A watched tree. */
export interface WatchedTree {
  /** Watches further files, also outside of the tree and also if `isWatched` does not select them. */
  add(paths: readonly string[]): void
  close(): void
}

/** How many files and folders of a tree are watched. */
export const MAX_WATCHED_ENTRIES = 20_000

const SETTLE_DELAY_MS = 30
const MAX_SETTLE_DELAY_MS = 1000
const POLL_INTERVAL_MS = 2000
/** A scan takes at most one part in this many of the time. */
const SCAN_SHARE = 50

/**
 * Calls `onChange` with the files that have changed below a folder, once no more changes follow. However a file is saved is noticed: written in
 * place, replaced by another one, removed and created again, also together with its folder. Events of the system only say when to look, because
 * a watcher loses what is replaced; the files are compared with what was seen before. The tree is also compared every two seconds, for file systems
 * without events. Does not keep the process running.
 */
export function watchTree(
  folder: string,
  onChange: (paths: readonly string[]) => void,
  options: WatchTreeOptions = {},
): WatchedTree {
  const root = resolve(folder)
  const added = new Set<string>()
  const watchers = createFolderWatchers(() => settle())
  let [seen, firstEvent, isClosed] = [new Map<string, string>(), 0, false]
  let timer: NodeJS.Timeout | undefined

  const look = (): Map<string, string> => {
    const { files, folders } = scanTree(root, options)
    for (const [path, version] of versionsOf(added)) files.set(path, version)
    watchers.set([...folders, ...[...added].map((path) => ({ path: dirname(path), id: idOf(dirname(path)) }))])
    return files
  }
  const compare = (): void => {
    const started = performance.now()
    const [before, now] = [seen, look()]
    seen = now
    firstEvent = 0
    const changed = [...new Set([...before.keys(), ...now.keys()])].filter((path) => before.get(path) !== now.get(path))
    schedule(Math.max(POLL_INTERVAL_MS, SCAN_SHARE * (performance.now() - started)))
    if (changed.length > 0) onChange(changed)
  }
  const schedule = (delayMs: number): void => {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(compare, delayMs).unref()
  }
  const settle = (): void => {
    firstEvent ||= performance.now()
    schedule(Math.min(SETTLE_DELAY_MS, Math.max(0, firstEvent + MAX_SETTLE_DELAY_MS - performance.now())))
  }
  seen = look()
  schedule(POLL_INTERVAL_MS)
  return {
    add(paths) {
      const further = paths.map((path) => resolve(path)).filter((path) => !added.has(path))
      for (const path of further) added.add(path)
      for (const [path, version] of versionsOf(further)) if (!seen.has(path)) seen.set(path, version)
      // The next comparison watches their folders.
      if (further.length > 0) settle()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      watchers.set([])
    },
  }
}

/** A folder, and what tells it from another one that has replaced it. */
interface FolderId {
  readonly path: string
  readonly id: string
}

/** Keeps one watcher for each of the folders that were passed last. A folder without one, such as beyond a limit of the system, has no events. */
function createFolderWatchers(onEvent: () => void): { set(folders: readonly FolderId[]): void } {
  const watchers = new Map<string, { readonly id: string; readonly watcher: FSWatcher }>()
  const drop = (path: string): void => {
    watchers.get(path)?.watcher.close()
    watchers.delete(path)
  }
  return {
    set(folders) {
      const wanted = new Map(folders.map(({ path, id }) => [path, id]))
      for (const [path, { id }] of watchers) if (wanted.get(path) !== id) drop(path)
      for (const [path, id] of wanted) {
        if (id === '' || watchers.has(path)) continue
        try {
          const watcher = watch(path, { persistent: false }, onEvent)
          watcher.on('error', () => drop(path))
          watchers.set(path, { id, watcher })
        } catch {}
      }
    },
  }
}

/** Lists the watched files with their versions, and all folders, nearest first. Links are followed; a folder is listed once. */
function scanTree(
  root: string,
  { isWatched = () => true, isIgnored = () => false, onTruncated }: WatchTreeOptions,
): { files: Map<string, string>; folders: FolderId[] } {
  const paths: string[] = []
  const folders = new Map<string, string>()
  const queue = [root]
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const id = idOf(path)
    if (id === '' || folders.has(id)) continue
    folders.set(id, path)
    const entries = entriesOf(path)
    queue.push(...entries.filter(({ path, isFolder }) => isFolder && !isIgnored(basename(path))).map(({ path }) => path))
    paths.push(...entries.filter(({ path, isFolder }) => !isFolder && isWatched(path)).map(({ path }) => path))
    if (paths.length + folders.size + queue.length > MAX_WATCHED_ENTRIES) {
      onTruncated?.()
      break
    }
  }
  return { files: versionsOf(paths.slice(0, MAX_WATCHED_ENTRIES)), folders: [...folders].map(([id, path]) => ({ path, id })) }
}

/** Returns the versions of the files that exist. */
function versionsOf(paths: Iterable<string>): Map<string, string> {
  const versions = new Map<string, string>()
  for (const path of paths) {
    const stats = statOf(path)
    if (stats?.isFile()) versions.set(path, versionOf(stats))
  }
  return versions
}

function entriesOf(folder: string): { path: string; isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name)
      return { path, isFolder: entry.isDirectory() || (entry.isSymbolicLink() && statOf(path)?.isDirectory() === true) }
    })
  } catch {
    return []
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const versionOf = ({ ino, size, mtimeMs }: Stats): string => `${ino}:${size}:${mtimeMs}`

/** Identifies a folder; returns an empty text if there is none. */
function idOf(path: string): string {
  const stats = statOf(path)
  return stats?.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` : ''
}
