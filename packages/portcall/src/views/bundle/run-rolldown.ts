import { dirname } from 'node:path'
import { ViewError } from '../errors.ts'
import { dataUrlOf, isAsset } from './assets.ts'
import { type Bundled, type BundleRequest, type BundlerLog, type OutputFile, TARGET } from './bundler.ts'
import { type FlatSheet, joinSheets, readSheet } from './css/read-sheet.ts'
import { isInstalled } from './find-bundler.ts'
import { workerFile, workerIn } from './workers.ts'

/** The part of rolldown that is used here. */
interface Rolldown {
  rolldown(
    options: object,
  ): Promise<{ generate(options: object): Promise<{ output: readonly OutputFile[] }>; close(): Promise<void> }>
}

interface PluginContext {
  getModuleInfo(
    id: string,
  ): { readonly importedIds: readonly string[]; readonly dynamicallyImportedIds: readonly string[] } | null
}

/** Bundles with rolldown alone: TypeScript, JSX, CSS and images; not what needs plugins of Vite. */
export async function runRolldown(request: BundleRequest): Promise<Bundled> {
  const { bundler, file, entry, minify, sourcemap } = request
  const { rolldown } = (await import(bundler.module)) as Rolldown
  const styles = createStylesPlugin(request)
  const isPreact = !isInstalled('react', file) && isInstalled('preact', file)
  const bundle = await rolldown({
    input: entry.id,
    cwd: dirname(file),
    platform: 'browser',
    tsconfig: true,
    plugins: [entry.plugin, ...request.plugins, styles.plugin],
    transform: {
      target: TARGET,
      define: { 'process.env.NODE_ENV': '"production"' },
      ...(isPreact && { jsx: { runtime: 'automatic', importSource: 'preact' } }),
    },
    onLog: (_level: string, log: BundlerLog) => report(log, request),
  })
  try {
    const { output } = await bundle.generate({
      format: 'es',
      codeSplitting: false,
      minify,
      sourcemap: sourcemap ? 'hidden' : false,
    })
    const [chunk] = output
    return { code: chunk?.code ?? '', css: styles.collect(), map: chunk?.map?.toString() }
  } finally {
    await bundle.close()
  }
}

/** @throws ViewError for an import that nothing resolves, since a page cannot load it either. */
function report({ code, message }: BundlerLog, { file, onWarning }: BundleRequest): void {
  if (code === 'UNRESOLVED_IMPORT') throw new ViewError('VIEW_BUILD_FAILED', `The view ${file} cannot be built: ${message}`)
  onWarning(message)
}

const FRAMEWORK_FILE = /\.(?:vue|svelte|astro|s[ac]ss|less|styl)$/

/** Creates the plugin that collects style sheets in the order of their imports, and makes images and fonts data URLs. */
function createStylesPlugin({ file, files, entry, maxAssetBytes, onWarning }: BundleRequest): {
  plugin: object
  collect(): string
} {
  const sheets = new Map<string, FlatSheet>()
  let ordered: readonly string[] = []
  const plugin = {
    name: 'portcall-view-files',
    load(id: string) {
      const path = id.replace(/\?[\s\S]*/, '')
      if (FRAMEWORK_FILE.test(path))
        throw new ViewError(
          'VIEW_BUILD_FAILED',
          `The view ${file} contains ${path}, which needs vite and its plugin. Install both`,
        )
      if (isAsset(path)) return { code: `export default ${JSON.stringify(dataUrlOf(path, maxAssetBytes))}`, moduleType: 'js' }
      if (!path.endsWith('.css')) return undefined
      sheets.set(id, readSheet(path, { files, maxAssetBytes, onWarning }))
      return { code: 'export {}', moduleType: 'js', moduleSideEffects: true }
    },
    transform(code: string, id: string) {
      const worker = workerIn(code)
      if (worker !== undefined && !id.includes('node_modules')) throw workerFile(file, worker)
      return undefined
    },
    buildEnd(this: PluginContext) {
      ordered = importOrder(entry.id, (id) => this.getModuleInfo(id))
    },
  }
  return { plugin, collect: () => joinSheets(ordered.flatMap((id) => sheets.get(id) ?? [])) }
}

/** Returns modules in the order in which they run. */
function importOrder(start: string, infoOf: PluginContext['getModuleInfo']): readonly string[] {
  const seen = new Set<string>()
  const order: string[] = []
  const visit = (id: string): void => {
    if (seen.has(id)) return
    seen.add(id)
    const { importedIds = [], dynamicallyImportedIds = [] } = infoOf(id) ?? {}
    for (const imported of [...importedIds, ...dynamicallyImportedIds]) visit(imported)
    order.push(id)
  }
  visit(start)
  return order
}
