/** Watches many folders for changes. */
import { type FSWatcher, watch } from 'node:fs'

export interface Watch {
  /** Sets the folders to watch. */
  follow(folders: readonly string[]): void
  close(): void
}

const QUIET_MS = 100

/**
 * Creates a watcher. Changes in quick succession cause one call.
 *
 * Each folder has a watcher of its own, because the recursive watcher of Node 20 on Linux loses files that are replaced.
 */
export function createWatch(onChange: () => void): Watch {
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined

  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      onChange()
    }, QUIET_MS)
  }
  const leave = (folder: string): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  const enter = (folder: string): void => {
    try {
      watchers.set(
        folder,
        watch(folder, { persistent: false }, soon).on('error', () => leave(folder)),
      )
    } catch (error) {
      console.error(`Changes in ${folder} will not be noticed: ${(error as Error).message}`)
    }
  }

  return {
    follow(folders) {
      for (const folder of watchers.keys()) if (!folders.includes(folder)) leave(folder)
      for (const folder of folders) if (!watchers.has(folder)) enter(folder)
    },
    close() {
      clearTimeout(timer)
      for (const folder of watchers.keys()) leave(folder)
    },
  }
}
