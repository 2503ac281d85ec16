import process from 'node:process'
import { assetTooLarge } from './assets.ts'
import { type Bundled, type BundleRequest, type OutputFile, TARGET } from './bundler.ts'
import { projectFolderOf } from './find-bundler.ts'

/** The part of Vite that is used here. */
interface Vite {
  build(options: object): Promise<BuildOutput | readonly BuildOutput[]>
}

interface BuildOutput {
  readonly output: readonly OutputFile[]
}

/** The first version that bundles with rolldown. */
const ROLLDOWN_VERSION = 8

/** Bundles with the Vite of the project: with its configuration, and so with the plugins of its framework. */
export async function runVite(request: BundleRequest): Promise<Bundled> {
  const { bundler, file, entry, minify, sourcemap, maxAssetBytes, plugins, onWarning } = request
  const { build } = (await import(bundler.module)) as Vite
  const isRolldown = bundler.majorVersion >= ROLLDOWN_VERSION
  const output = {
    entryFileNames: 'view.js',
    assetFileNames: '[name][extname]',
    ...(isRolldown ? { codeSplitting: false } : { inlineDynamicImports: true }),
  }
  const result = await withEnvironment(() =>
    build({
      root: projectFolderOf(file),
      mode: 'production',
      base: '/',
      logLevel: 'warn',
      publicDir: false,
      customLogger: createLogger(onWarning),
      plugins: [entry.plugin, ...plugins],
      build: {
        write: false,
        target: TARGET,
        minify,
        sourcemap: sourcemap && 'hidden',
        assetsInlineLimit: maxAssetBytes,
        cssCodeSplit: false,
        modulePreload: false,
        reportCompressedSize: false,
        [isRolldown ? 'rolldownOptions' : 'rollupOptions']: { input: entry.id, output },
      },
    }),
  )
  return readOutput(
    [result].flat().flatMap((one) => (one as BuildOutput).output),
    maxAssetBytes,
  )
}

/** @throws ViewError for a file that is not a part of the script. */
function readOutput(files: readonly OutputFile[], maxAssetBytes: number): Bundled {
  const chunk = files.find(({ type }) => type === 'chunk')
  const assets = files.filter(({ type, fileName }) => type === 'asset' && !fileName.endsWith('.map'))
  const large = assets.find(({ fileName }) => !fileName.endsWith('.css'))
  if (large) throw assetTooLarge(large.fileName, large.source?.length ?? 0, maxAssetBytes)
  const css = assets.map(({ source = '' }) => (typeof source === 'string' ? source : new TextDecoder().decode(source)))
  return { code: chunk?.code ?? '', css: css.join('\n').replaceAll(VITE_MARK, ''), map: chunk?.map?.toString() }
}

function createLogger(onWarning: (message: string) => void): object {
  const ignore = (): void => {}
  return {
    info: ignore,
    error: ignore,
    clearScreen: ignore,
    warn: onWarning,
    warnOnce: onWarning,
    hasWarned: false,
    hasErrorLogged: () => false,
  }
}

/** A comment that Vite leaves in style sheets. */
const VITE_MARK = /\/\*\$vite\$:\d+\*\//g

let running: Promise<unknown> = Promise.resolve()

/** Runs one build at a time, and restores the environment variable that Vite sets for the whole process. */
function withEnvironment<T>(run: () => Promise<T>): Promise<T> {
  const result = running.then(async () => {
    const { NODE_ENV } = process.env
    process.env.NODE_ENV = 'production'
    try {
      return await run()
    } finally {
      if (NODE_ENV === undefined) delete process.env.NODE_ENV
      else process.env.NODE_ENV = NODE_ENV
    }
  })
  running = result.catch(() => {})
  return result
}
