import { statSync } from 'node:fs'

/** Checks that the path of an open file still leads to it. */
export interface FileIdentity {
  /** Reports whether the file was removed or replaced. Looks at the file system every two seconds at most. */
  hasChanged(): boolean
}

const CHECK_INTERVAL_MS = 2000

/** Remembers which file a path leads to. Returns `undefined` if it leads to none, such as `:memory:`. */
export function identifyFile(path: string): FileIdentity | undefined {
  const opened = identityOf(path)
  let checkedAt = performance.now()
  if (opened === undefined) return undefined
  return {
    hasChanged() {
      if (performance.now() - checkedAt < CHECK_INTERVAL_MS) return false
      checkedAt = performance.now()
      return identityOf(path) !== opened
    },
  }
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev}/${stats.ino}`
}
