import { sha256Hex } from '../../../util/src/digest.ts'
import { buildPage } from './build-view.ts'
import { nameOfFile } from './names.ts'
import { findViewFile, type HtmlSource, type ViewSource } from './source.ts'
import { findViewWatch } from './watched-process.ts'

/** A page in one revision. */
export interface ViewPage {
  readonly html: string
  /** The first 12 hexadecimal digits of the SHA-256 of the HTML. */
  readonly revision: string
  /** The warnings of the build. */
  readonly warnings: readonly string[]
}

/** The page of a view. It is bundled when a tool with the view is registered, and in a watched process again when its files change. */
export interface PageSource {
  /** The name of the file, if there is one. */
  readonly name: string | undefined
  /** The path of the file, for messages. */
  readonly path: string | undefined
  /** Returns the page. @throws ViewError if it cannot be bundled. */
  load(): Promise<ViewPage>
  /** Calls the listener when the files have changed, so that `load` returns another page. Absent in processes that nobody watches. */
  readonly onChange?: (listener: () => void) => void
}

const REVISION_LENGTH = 12

/** Creates the page of a view. @throws ViewError if its file is missing; TypeError for another source. */
export function createPageSource(source: ViewSource, from: string | URL | undefined): PageSource {
  const path = typeof source === 'string' || source instanceof URL ? findViewFile(source, { from }) : undefined
  const own = path === undefined ? readHtml(source as HtmlSource) : ''
  let page: Promise<ViewPage> | undefined
  const watch = path === undefined ? undefined : findViewWatch()
  const files = new Set<string>()
  const build = async (file: string): Promise<Pick<ViewPage, 'html' | 'warnings'>> => {
    files.clear()
    try {
      return await buildPage(file, {}, (one) => void files.add(one))
    } finally {
      watch?.report([...files])
    }
  }
  const read = async (): Promise<ViewPage> => toPage(path === undefined ? { html: own, warnings: [] } : await build(path))
  const onChange = (listener: () => void): void =>
    watch?.onChange((changed) => {
      if (!changed.some((one) => files.has(one))) return
      page = undefined
      listener()
    })
  const name = path === undefined ? undefined : nameOfFile(path)
  return { name, path, load: () => (page ??= read()), ...(watch && { onChange }) }
}

/** Creates a page that is made when it is needed. */
export function createMadePage(make: () => Promise<string>): PageSource {
  let page: Promise<ViewPage> | undefined
  const read = async (): Promise<ViewPage> => toPage({ html: await make(), warnings: [] })
  return { name: undefined, path: undefined, load: () => (page ??= read()) }
}

const toPage = async (page: Pick<ViewPage, 'html' | 'warnings'>): Promise<ViewPage> => ({
  ...page,
  revision: (await sha256Hex(page.html)).slice(0, REVISION_LENGTH),
})

function readHtml(source: HtmlSource): string {
  const html: unknown = typeof source === 'object' && source !== null ? source.html : undefined
  if (typeof html !== 'string' || html.trim() === '')
    throw new TypeError(
      'view(source): use a file, such as view("./chart.html"), or a document, view({ html: "<!doctype html>…" })',
    )
  return html
}
