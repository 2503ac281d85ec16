import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

const SETTLE_DELAY_MS = 100

/**
 * Calls the listener after one of the files has changed, once no more changes follow. It watches the directories, because many programs
 * replace a file instead of writing to it. Returns a function that stops.
 */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const schedule = (): void => {
    clearTimeout(timer)
    timer = setTimeout(onChange, SETTLE_DELAY_MS)
  }
  const watchers = [...new Set(files.map(dirname))].map((dir): FSWatcher => {
    const names = files.filter((file) => dirname(file) === dir).map((file) => basename(file))
    return watch(dir, (_event, name) => {
      if (name === null || names.includes(name)) schedule()
    })
  })
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
