import { watch } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'

const CODE = /\.([cm]?[jt]sx?|json|wasm)$/
const SKIPPED = new Set(['node_modules', '.git', 'dist-types', 'coverage'])
const SETTLED_MS = 100

/** Calls back when code in the folder of a module, or below it, has changed and nothing has for a moment. Returns what ends that. */
export function watchCode(path: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(dirname(resolve(path)), { recursive: true }, (_event, name) => {
    if (name === null || !isCode(name)) return
    clearTimeout(timer)
    timer = setTimeout(onChange, SETTLED_MS)
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}

function isCode(name: string): boolean {
  return CODE.test(name) && !name.split(sep).some((part) => SKIPPED.has(part))
}
