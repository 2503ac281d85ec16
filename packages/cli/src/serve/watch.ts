import { dirname, relative, resolve, sep } from 'node:path'
import type { ServerLike } from 'portcall'
import { MAX_WATCHED_ENTRIES, type WatchedTree, watchTree } from '../../../util/src/watch-tree.ts'
import type { Io } from '../io.ts'
import { type ServingChild, startChild } from './child-process.ts'
import { createReloadingServer } from './reloading-server.ts'

/**
 * Serves a module and reloads it when its code changes. If it fails to start, the previous version stays. `onReload` is called after the new version
 * has taken over.
 */
export function serveWatched(path: string, { log }: Pick<Io, 'log'>, onReload = (): void => {}): ServerLike {
  const modules = new Set<string>()
  const views = new Set<string>()
  let child: ServingChild | undefined
  const start = async (): Promise<ServingChild['exchange']> => {
    const started = await startChild(path, {
      onLoad(files) {
        for (const file of files) modules.add(file)
        tree.add(files.filter(isOwn))
      },
      onView(files) {
        for (const file of files) views.add(file)
        tree.add(files.filter(isOwn))
      },
    })
    child = started
    return started.exchange
  }
  const server = createReloadingServer({ start, onError: (error) => log(String(error)) })
  let reloading = Promise.resolve()
  const reload = (message: string, onDone = (): void => {}): void => {
    reloading = reloading.then(server.reload).then(
      () => {
        log(message)
        onDone()
      },
      (error: unknown) => log(`${error instanceof Error ? error.message : String(error)}; waiting for changes`),
    )
  }
  const tree = watchCode(path, log, (changed, description) => {
    const areViews = child && changed.every((file) => views.has(file) && !modules.has(file))
    if (!areViews) return reload(`reloaded ${path} (${description})`, onReload)
    log(`built the view again (${description})`)
    child?.changeViews(changed)
  })
  reload(`started ${path}`)
  return server
}

const CODE = /\.(?:[cm]?[jt]sx?|wasm)$/
const DECLARATIONS = /\.d\.[cm]?ts$/
const IGNORED_FOLDERS = new Set(['node_modules', 'dist-types', 'coverage'])
const SHOWN_FILES = 3

/** Watches the code in the folder of a module. Other files are data, unless the module loads them: the tree is told which these are. */
function watchCode(
  path: string,
  log: Io['log'],
  onChange: (changed: readonly string[], description: string) => void,
): WatchedTree {
  const folder = dirname(resolve(path))
  let hasWarned = false
  return watchTree(folder, (paths) => onChange(paths, describe(paths.map((one) => relative(folder, one)))), {
    isWatched: (file) => isCode(file.slice(file.lastIndexOf(sep) + 1)),
    isIgnored: (name) => name.startsWith('.') || IGNORED_FOLDERS.has(name),
    onTruncated() {
      if (!hasWarned)
        log(`${folder} has more than ${MAX_WATCHED_ENTRIES} files; of the others, only those that the module loads are watched`)
      hasWarned = true
    },
  })
}

/** Reports whether a file is code by its name. Editors give their temporary files names that start with a dot or `#`. */
function isCode(name: string): boolean {
  return CODE.test(name) && !DECLARATIONS.test(name) && !/^[.#]/.test(name)
}

/** Reports whether a file that was loaded is not of an installed package. */
function isOwn(path: string): boolean {
  return !path.split(sep).includes('node_modules')
}

function describe(names: readonly string[]): string {
  const others = names.length - SHOWN_FILES
  return `changed: ${names.slice(0, SHOWN_FILES).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}
