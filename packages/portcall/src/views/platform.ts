/** The parts of Node that views of files need. They are found at run time, so that views of texts work on every runtime. */

interface FileSystem {
  readFileSync(path: string, encoding: 'utf8'): string
  statSync(path: string, options: { throwIfNoEntry: false }): { isFile(): boolean } | undefined
}

interface Paths {
  resolve(...parts: string[]): string
  isAbsolute(path: string): boolean
}

interface Urls {
  fileURLToPath(url: string | URL): string
}

/** Node's modules for files, paths and URLs. */
export interface FilePlatform {
  readonly fs: FileSystem
  readonly path: Paths
  readonly url: Urls
  /** The current folder. */
  cwd(): string
}

interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (name: string) => unknown; readonly cwd?: () => string }
}

/** Returns Node's modules, or `undefined` on runtimes without files. */
export function findFilePlatform({ process }: Runtime = globalThis as Runtime): FilePlatform | undefined {
  const find = (name: string): unknown => process?.getBuiltinModule?.(name)
  const [fs, path, url] = [find('node:fs'), find('node:path'), find('node:url')]
  if (!fs || !path || !url || typeof (fs as FileSystem).readFileSync !== 'function') return undefined
  return { fs: fs as FileSystem, path: path as Paths, url: url as Urls, cwd: () => process?.cwd?.() ?? '/' }
}

interface CallSite {
  getFileName?(): string | null | undefined
}

type PrepareStackTrace = (error: Error, frames: readonly CallSite[]) => unknown

/** Returns the file of the function that called `callee`, as a path or URL; `undefined` on engines that do not tell. */
export function fileOfCaller(callee: (...args: never) => unknown): string | undefined {
  const { prepareStackTrace, captureStackTrace } = Error as unknown as {
    prepareStackTrace?: PrepareStackTrace
    captureStackTrace?: (target: object, below: unknown) => void
  }
  if (!captureStackTrace) return undefined
  const place: { stack?: unknown } = {}
  try {
    Reflect.set(Error, 'prepareStackTrace', ((_error, frames) => frames[0]?.getFileName?.()) satisfies PrepareStackTrace)
    captureStackTrace(place, callee)
    return typeof place.stack === 'string' && !place.stack.includes('\n') ? place.stack : undefined
  } finally {
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace)
  }
}
