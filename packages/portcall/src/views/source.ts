import { describe } from '../../../util/src/describe.ts'
import { attribute, elementsOf, isLocal } from './elements.ts'
import { ViewError } from './errors.ts'
import { type FilePlatform, findFilePlatform } from './platform.ts'

/** The HTML of a view, on every runtime. */
export interface HtmlSource {
  /** The complete document. */
  readonly html: string
}

/**
 * Where a view comes from: a file, relative to the module or absolute, or HTML. A `.html` file that names no other files is served as it is. One
 * with scripts, and a `.ts`, `.tsx`, `.js` or `.jsx` file, is bundled into one page.
 */
export type ViewSource = string | URL | HtmlSource

/** A file of a view. */
export interface ViewFile {
  readonly path: string
  /** The HTML, if the file needs no bundler. */
  readonly html: string | undefined
}

const PAGE = /\.html?$/i
const SCRIPT = /\.[cm]?[jt]sx?$/i

/** Reports whether a file is an HTML page, by its name. */
export function isPage(path: string): boolean {
  return PAGE.test(path)
}

/** Finds the file of a view. @throws ViewError if it is missing or of another kind. */
export function findViewFile(source: string | URL, from: string | URL | undefined): ViewFile {
  const platform = findFilePlatform()
  if (!platform)
    throw new ViewError('VIEW_NEEDS_FILES', `The view ${String(source)}: this runtime has no files. Use view({ html })`)
  const path = pathOf(source, from, platform)
  if (!PAGE.test(path) && !SCRIPT.test(path))
    throw new ViewError('VIEW_UNSUPPORTED', `The view ${path}: use a file that ends in .html, .ts, .tsx, .js or .jsx`)
  if (!platform.fs.statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new ViewError(
      'VIEW_NOT_FOUND',
      `The view ${path} does not exist. A relative path starts at the module that calls view()`,
    )
  const html = PAGE.test(path) ? platform.fs.readFileSync(path, 'utf8') : undefined
  return { path, html: html === undefined || namesFiles(html) ? undefined : html }
}

function pathOf(source: string | URL, from: string | URL | undefined, { path, url, cwd }: FilePlatform): string {
  const toPath = (place: string | URL): string => (/^file:/i.test(String(place)) ? url.fileURLToPath(place) : String(place))
  if (source instanceof URL && source.protocol !== 'file:')
    throw new TypeError(`view(source): the URL must start with file:, not ${describe(source.href)}`)
  const file = toPath(source)
  if (path.isAbsolute(file)) return file
  return from === undefined ? path.resolve(cwd(), file) : path.resolve(toPath(from), '..', file)
}

const LOCAL_IMPORT = /\b(?:from|import)\s*(?:\(\s*)?["'](?![a-z][a-z0-9+.-]*:|\/\/)/i

/** Reports whether a page names files beside it, or imports packages. */
export function namesFiles(html: string): boolean {
  const elements = elementsOf(html)
  if (elements.some(({ name, attributes }) => isLocal(attribute(attributes, name === 'link' ? 'href' : 'src')))) return true
  const typeOf = (attributes: string): string | undefined => attribute(attributes, 'type')?.toLowerCase()
  const scripts = elements.filter(({ name }) => name === 'script')
  if (scripts.some(({ attributes }) => typeOf(attributes) === 'importmap')) return false
  return scripts.some(({ attributes, code }) => typeOf(attributes) === 'module' && LOCAL_IMPORT.test(code))
}
