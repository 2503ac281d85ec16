import { watch } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import type { ServerLike } from '../../entrypoints/index.ts'
import type { Io } from '../io.ts'
import { startChild } from './child-process.ts'
import { createReloadingServer } from './reloading-server.ts'

/** Serves a module and reloads it when its code changes. If it fails to start, the previous version stays. */
export function serveWatched(path: string, { log }: Pick<Io, 'log'>): ServerLike {
  const server = createReloadingServer({ start: () => startChild(path), onError: (error) => log(String(error)) })
  let reloading = Promise.resolve()
  const reload = (message: string): void => {
    reloading = reloading.then(server.reload).then(
      () => log(message),
      (error: unknown) => log(`${error instanceof Error ? error.message : String(error)}; waiting for changes`),
    )
  }
  reload(`started ${path}`)
  watchCode(path, () => reload(`reloaded ${path}`))
  return server
}

const CODE = /\.([cm]?[jt]sx?|json|wasm)$/
const IGNORED_DIRS = new Set(['node_modules', '.git', 'dist-types', 'coverage'])
const SETTLE_DELAY_MS = 100

/** Calls the listener after code in the directory of a module has changed, once no more changes follow. */
function watchCode(path: string, onChange: () => void): void {
  let timer: NodeJS.Timeout | undefined
  watch(dirname(resolve(path)), { recursive: true }, (_event, name) => {
    if (name === null || !isCode(name)) return
    clearTimeout(timer)
    timer = setTimeout(onChange, SETTLE_DELAY_MS)
  })
}

function isCode(name: string): boolean {
  return CODE.test(name) && !name.split(sep).some((part) => IGNORED_DIRS.has(part))
}
