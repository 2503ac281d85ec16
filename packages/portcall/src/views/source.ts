import { describe } from '../../../util/src/describe.ts'
import { ViewError } from './errors.ts'
import { type FilePlatform, findFilePlatform } from './platform.ts'

/** The HTML of a view, on every runtime. */
export interface HtmlSource {
  /** The complete document. */
  readonly html: string
}

/**
 * Where a view comes from: a file, relative to the module or absolute, or HTML. A `.html` file that names no other files is served as it is. One
 * that does, and a script, is bundled into one page.
 */
export type ViewSource = string | URL | HtmlSource

const PAGE = /\.html?$/i
const SCRIPT = /\.[cm]?[jt]sx?$/i

/** Reports whether a file is an HTML page, by its name. */
export function isPage(path: string): boolean {
  return PAGE.test(path)
}

/** Where a relative path starts: at a module or folder, or at the current folder. */
export type SourceStart = { readonly from: string | URL | undefined } | 'current folder'

/** Finds the file of a view. @throws ViewError if it is missing or of another kind. */
export function findViewFile(source: string | URL, start: SourceStart): string {
  const platform = findFilePlatform()
  if (!platform)
    throw new ViewError('VIEW_NEEDS_FILES', `The view ${String(source)}: this runtime has no files. Use view({ html })`)
  const path = pathOf(source, start === 'current folder' ? undefined : start.from, platform)
  if (!PAGE.test(path) && !SCRIPT.test(path))
    throw new ViewError('VIEW_UNSUPPORTED', `The view ${path}: use a file that ends in .html, .ts, .tsx, .mts, .js, .jsx or .mjs`)
  const stats = platform.fs.statSync(path, { throwIfNoEntry: false })
  if (!stats) throw new ViewError('VIEW_NOT_FOUND', `The view ${path} does not exist. ${adviceOf(start)}`)
  if (!stats.isFile()) throw new ViewError('VIEW_NOT_FOUND', `The view ${path} is a folder, not a file. Name the page in it`)
  return path
}

function adviceOf(start: SourceStart): string {
  return start === 'current folder'
    ? 'A relative path of buildView() starts at the current folder. Use new URL("./page.html", import.meta.url) to start at the module'
    : 'A relative path starts at the module that calls view(), or at the option "from"'
}

function pathOf(source: string | URL, from: string | URL | undefined, { path, url, cwd }: FilePlatform): string {
  const toPath = (place: string | URL): string => (/^file:/i.test(String(place)) ? url.fileURLToPath(place) : String(place))
  if (source instanceof URL && source.protocol !== 'file:')
    throw new TypeError(`view(source): the URL must start with file:, not ${describe(source.href)}`)
  const file = toPath(source)
  if (path.isAbsolute(file)) return file
  if (from === undefined) return path.resolve(cwd(), file)
  // A place that ends in a slash is a folder; every other one is a module.
  return path.resolve(toPath(from), /[/\\]$/.test(String(from)) ? '.' : '..', file)
}
