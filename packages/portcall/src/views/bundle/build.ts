import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { BuildViewOptions, BuiltView } from '../build-options.ts'
import { nameOfFile } from '../names.ts'
import { findViewFile, isPage } from '../source.ts'
import { assemblePage, pageOfScript } from './assemble.ts'
import type { Bundled, BundleRequest } from './bundler.ts'
import { createEntryModule } from './entry-module.ts'
import { findBundler } from './find-bundler.ts'
import { type PageParts, splitPage } from './page-parts.ts'
import { runRolldown } from './run-rolldown.ts'
import { runVite } from './run-vite.ts'

/** The largest file that becomes a part of a page. */
const MAX_ASSET_BYTES = 102_400

/** Bundles a view. @throws ViewError, or the error of the bundler. */
export async function build(entry: string | URL, options: BuildViewOptions): Promise<BuiltView> {
  const { maxAssetBytes = MAX_ASSET_BYTES, outFile } = options
  const { path } = findViewFile(entry, undefined)
  const warnings: string[] = []
  const parts = partsOf(path, maxAssetBytes)
  const bundled = await bundle(path, parts, { ...options, maxAssetBytes, onWarning: (message) => void warnings.push(message) })
  const html = assemblePage(parts.html, bundled)
  const { map } = bundled
  if (outFile !== undefined) await writeFile(outFile, html)
  if (outFile !== undefined && map !== undefined) await writeFile(`${outFile}.map`, map)
  return { html, warnings, ...(map !== undefined && { map }) }
}

function partsOf(path: string, maxAssetBytes: number): PageParts {
  if (isPage(path)) return splitPage(readFileSync(path, 'utf8'), path, maxAssetBytes)
  return { html: pageOfScript(nameOfFile(path)), modules: [{ path }] }
}

type BundleOptions = BuildViewOptions & Pick<BundleRequest, 'maxAssetBytes' | 'onWarning'>

async function bundle(file: string, { modules }: PageParts, options: BundleOptions): Promise<Bundled> {
  if (modules.length === 0) return { code: '', css: '', map: undefined }
  const { minify = true, sourcemap = false, plugins = [], maxAssetBytes, onWarning } = options
  const bundler = findBundler(file, options.bundler)
  const entry = createEntryModule(file, modules)
  const request: BundleRequest = { bundler, file, entry, plugins, minify, sourcemap, maxAssetBytes, onWarning }
  return bundler.name === 'vite' ? runVite(request) : runRolldown(request)
}
