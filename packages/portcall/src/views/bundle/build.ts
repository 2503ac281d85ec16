import { mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { BuildViewOptions, BuiltView } from '../build-options.ts'
import { ViewError } from '../errors.ts'
import { MAX_PAGE_BYTES } from '../limits.ts'
import { nameOfFile } from '../names.ts'
import { plainText } from '../plain-text.ts'
import { findViewFile, isPage } from '../source.ts'
import { assemblePage, type FinishedSheet, pageOfScript } from './assemble.ts'
import type { Bundled, BundleRequest } from './bundler.ts'
import { joinSheets, readSheet, readSheetText } from './css/read-sheet.ts'
import { createEntryModule, type EntryParts } from './entry-module.ts'
import type { FileListener } from './files.ts'
import { findBundler, locateBundler } from './find-bundler.ts'
import type { PageSheet } from './page/sheets.ts'
import { type PageParts, splitPage } from './page/split.ts'
import { runRolldown } from './run-rolldown.ts'
import { runVite, transformPage } from './vite/run.ts'

/** The largest file that becomes a part of a page. */
const MAX_ASSET_BYTES = 102_400

/** Bundles a view. @throws ViewError, or the error of the bundler. */
export async function build(entry: string | URL, options: BuildViewOptions, onFile?: FileListener): Promise<BuiltView> {
  const { maxAssetBytes = MAX_ASSET_BYTES, outFile } = options
  const given = findViewFile(entry, 'current folder')
  const path = realpathSync(given)
  onFile?.(path)
  if (outFile !== undefined && isSameFile(outFile, path))
    throw new ViewError('VIEW_BUILD_FAILED', `The outFile of the view is the view itself: ${path}`)
  const warnings: string[] = []
  const { html, map } = await bundlePage(path, nameOfFile(given), {
    ...options,
    maxAssetBytes,
    onFile,
    onWarning: (message) => void warnings.push(plainText(message)),
  })
  const size = Buffer.byteLength(html)
  if (size > MAX_PAGE_BYTES)
    warnings.push(`The page has ${size} bytes. Hosts show pages of up to ${MAX_PAGE_BYTES} bytes at once`)
  if (outFile !== undefined) {
    mkdirSync(dirname(resolve(outFile)), { recursive: true })
    await writeFile(outFile, html)
    if (map !== undefined) await writeFile(`${outFile}.map`, map)
  }
  return { html, warnings: [...new Set(warnings)], ...(map !== undefined && { map }) }
}

function isSameFile(outFile: string, path: string): boolean {
  try {
    return realpathSync(outFile) === path
  } catch {
    return false
  }
}

type BundleOptions = BuildViewOptions &
  Pick<BundleRequest, 'maxAssetBytes' | 'onWarning'> & { readonly onFile: FileListener | undefined }

async function bundlePage(path: string, title: string, options: BundleOptions): Promise<Pick<BuiltView, 'html' | 'map'>> {
  const source = isPage(path) ? readFileSync(path, 'utf8') : pageOfScript(path, title)
  const { parts, warnings } = await splitTransformed(source, path, options)
  for (const message of warnings) options.onWarning(message)
  if (isComplete(parts)) return { html: source }
  const sheets: FinishedSheet[] = []
  for (const sheet of parts.sheets) sheets.push({ sheet, css: await readPageSheet(sheet, parts, options) })
  const scripts = parts.modules.length === 0 ? NO_SCRIPTS : await run(createRequest(parts, parts, options))
  return { html: assemblePage(parts, scripts, sheets), ...(scripts.map !== undefined && { map: scripts.map }) }
}

const NO_SCRIPTS: Bundled = { code: '', css: '', map: undefined }

/** Reports whether a page loads nothing else, so that it is served as it is. */
const isComplete = ({ modules, sheets, edits }: PageParts): boolean => modules.length + sheets.length + edits.length === 0

/** Divides a page, after the plugins of Vite have changed it. A page that loads nothing else is left alone. */
async function splitTransformed(
  source: string,
  path: string,
  options: BundleOptions,
): Promise<{ readonly parts: PageParts; readonly warnings: readonly string[] }> {
  const split = (html: string): { parts: PageParts; warnings: readonly string[] } => {
    const warnings: string[] = []
    const { maxAssetBytes, onFile } = options
    return {
      parts: splitPage(html, { path, maxAssetBytes, onFile, onWarning: (message) => void warnings.push(message) }),
      warnings,
    }
  }
  const first = split(source)
  if (isComplete(first.parts) || locateBundler(path, options.bundler)?.name !== 'vite') return first
  return split(await transformPage(source, createRequest(first.parts, { modules: [] }, options)))
}

/** @throws ViewError when no bundler is installed. */
function createRequest(
  { context: { path, files } }: PageParts,
  { modules, importMap, extension }: Omit<EntryParts, 'files'>,
  options: BundleOptions,
): BundleRequest {
  const { minify = true, sourcemap = false, plugins = [], maxAssetBytes, onWarning, onFile } = options
  const bundler = findBundler(path, options.bundler)
  const entry = createEntryModule(path, {
    modules,
    files,
    onFile,
    ...(importMap && { importMap }),
    ...(extension && { extension }),
  })
  return { bundler, file: path, files, entry, plugins, minify, sourcemap, maxAssetBytes, onWarning }
}

const run = (request: BundleRequest): Promise<Bundled> =>
  request.bundler.name === 'vite' ? runVite(request) : runRolldown(request)

/** Returns the text of a style sheet: processed by the bundler where it has plugins for that, otherwise with its imports and files. */
async function readPageSheet({ source }: PageSheet, parts: PageParts, options: BundleOptions): Promise<string> {
  const { path, files } = parts.context
  const isPlain = 'code' in source || source.path.endsWith('.css')
  const bundler = locateBundler(path, options.bundler)
  if (!isPlain || bundler?.name === 'vite' || (bundler && options.plugins?.length)) {
    const { css } = await run(createRequest(parts, { modules: [source], extension: '.css' }, options))
    return css
  }
  const { maxAssetBytes, onWarning } = options
  const reader = { files, maxAssetBytes, onWarning }
  return joinSheets(['code' in source ? readSheetText(source.code, dirname(path), reader) : readSheet(source.path, reader)])
}
