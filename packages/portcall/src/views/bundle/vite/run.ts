import process from 'node:process'
import { ViewError } from '../../errors.ts'
import { isLocal } from '../../is-local.ts'
import { assetTooLarge, dataUrlOf, dataUrlOfBytes } from '../assets.ts'
import type { Bundled, BundleRequest, OutputFile } from '../bundler.ts'
import { rewriteUrls } from '../css/urls.ts'
import { projectFolderOf } from '../find-bundler.ts'
import { workerFile } from '../workers.ts'
import { type HtmlPlugin, replaceVariables, runHtmlHooks } from './html-hooks.ts'
import { ASSETS, createSettingsPlugin } from './settings.ts'

/** The part of Vite that is used here. */
interface Vite {
  build(options: object): Promise<BuildOutput | readonly BuildOutput[]>
  resolveConfig(
    options: object,
    command: 'build',
    mode: string,
    nodeEnv: string,
  ): Promise<{ readonly plugins: readonly HtmlPlugin[]; readonly env: { readonly [name: string]: unknown } }>
}

interface BuildOutput {
  readonly output: readonly OutputFile[]
}

/** The first version that bundles with rolldown. */
const ROLLDOWN_VERSION = 8

/** Bundles with the Vite of the project: with its configuration, and so with the plugins of its framework. */
export async function runVite(request: BundleRequest): Promise<Bundled> {
  const { build } = (await import(request.bundler.module)) as Vite
  const result = await withEnvironment(() => build(optionsOf(request)))
  return readOutput(
    [result].flat().flatMap((one) => (one as BuildOutput).output),
    request,
  )
}

/** Runs the hooks of the project's plugins on a page, and replaces its environment variables. */
export async function transformPage(html: string, request: BundleRequest): Promise<string> {
  const { resolveConfig } = (await import(request.bundler.module)) as Vite
  const { plugins, env } = await withEnvironment(() => resolveConfig(optionsOf(request), 'build', 'production', 'production'))
  return replaceVariables(await runHtmlHooks(html, request.file, plugins), env)
}

function optionsOf(request: BundleRequest): object {
  const { bundler, file, entry, plugins, onWarning } = request
  const root = projectFolderOf(file)
  return {
    root,
    mode: 'production',
    logLevel: 'warn',
    customLogger: createLogger(onWarning),
    plugins: [entry.plugin, ...plugins, createSettingsPlugin(request, bundler.majorVersion >= ROLLDOWN_VERSION, root)],
  }
}

/** Makes the files that Vite wrote parts of the script and of the style sheet. @throws ViewError for one that is too large, and for a worker. */
function readOutput(files: readonly OutputFile[], request: BundleRequest): Bundled {
  const { file, maxAssetBytes } = request
  const chunk = files.find(({ type }) => type === 'chunk')
  const assets = files.filter(({ type, fileName }) => type === 'asset' && !fileName.endsWith('.map'))
  const worker = assets.find(({ fileName }) => /\.[cm]?js$/.test(fileName))
  if (worker) throw workerFile(file, worker.fileName)
  const urls = new Map<string, string>()
  for (const { fileName, source = '', originalFileNames } of assets.filter(({ fileName }) => !fileName.endsWith('.css'))) {
    const bytes = Buffer.from(source)
    if (bytes.length > maxAssetBytes) throw assetTooLarge(originalFileNames?.[0] ?? fileName, bytes.length, maxAssetBytes)
    urls.set(`/${fileName}`, dataUrlOfBytes(fileName, bytes))
  }
  const sheets = assets.filter(({ fileName }) => fileName.endsWith('.css'))
  const css = sheets.map(({ source = '' }) => Buffer.from(source).toString('utf8')).join('\n')
  let code = chunk?.code ?? ''
  if (code.includes(ASSETS)) for (const [url, data] of urls) code = code.replaceAll(url, data)
  return { code, css: inlineRest(css.replaceAll(VITE_MARK, ''), urls, request), map: chunk?.map?.toString() }
}

/** Replaces the references that Vite leaves: to files that it wrote, and to those of the folder `public`. @throws ViewError for a missing file. */
function inlineRest(css: string, urls: ReadonlyMap<string, string>, { files, file, maxAssetBytes }: BundleRequest): string {
  return rewriteUrls(css, (reference) => {
    if (!isLocal(reference)) return undefined
    const [, url = '', fragment = ''] = /^([^#]*)(#[\s\S]*)?$/.exec(reference) ?? []
    const written = urls.get(url)
    if (written !== undefined) return written + fragment
    if (!reference.startsWith('/'))
      throw new ViewError(
        'VIEW_NOT_FOUND',
        `The file ${JSON.stringify(reference)}, which a style sheet of the view ${file} names, does not exist`,
      )
    const { path } = files.find(reference)
    return dataUrlOf(path, maxAssetBytes) + fragment
  })
}

function createLogger(onWarning: (message: string) => void): object {
  const ignore = (): void => {}
  // What Vite leaves for later is found afterwards, or is an error then.
  const warn = (text: string): void => {
    if (!text.includes("didn't resolve at build time")) onWarning(text)
  }
  return {
    info: ignore,
    error: ignore,
    clearScreen: ignore,
    warn,
    warnOnce: warn,
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
