import { sha256Hex } from '../../../util/src/digest.ts'
import { buildView } from './build-view.ts'
import { nameOfFile } from './names.ts'
import { findViewFile, type HtmlSource, type ViewSource } from './source.ts'

/** A page in one revision. */
export interface ViewPage {
  readonly html: string
  /** The first 12 hexadecimal digits of the SHA-256 of the HTML. */
  readonly revision: string
  /** The warnings of the build. */
  readonly warnings: readonly string[]
}

/** The page of a view. It is bundled once, when a tool with the view is registered. */
export interface PageSource {
  /** The name of the file, if there is one. */
  readonly name: string | undefined
  /** The path of the file, for messages. */
  readonly path: string | undefined
  /** Returns the page. @throws ViewError if it cannot be bundled. */
  load(): Promise<ViewPage>
}

const REVISION_LENGTH = 12

/** Creates the page of a view. @throws ViewError if its file is missing; TypeError for another source. */
export function createPageSource(source: ViewSource, from: string | URL | undefined): PageSource {
  const path = typeof source === 'string' || source instanceof URL ? findViewFile(source, { from }) : undefined
  const own = path === undefined ? readHtml(source as HtmlSource) : ''
  let page: Promise<ViewPage> | undefined
  const read = async (): Promise<ViewPage> => {
    const { html, warnings } = path === undefined ? { html: own, warnings: [] } : await buildView(path)
    return { html, warnings, revision: (await sha256Hex(html)).slice(0, REVISION_LENGTH) }
  }
  return { name: path === undefined ? undefined : nameOfFile(path), path, load: () => (page ??= read()) }
}

function readHtml(source: HtmlSource): string {
  const html: unknown = typeof source === 'object' && source !== null ? source.html : undefined
  if (typeof html !== 'string' || html.trim() === '')
    throw new TypeError(
      'view(source): use a file, such as view("./chart.html"), or a document, view({ html: "<!doctype html>…" })',
    )
  return html
}
