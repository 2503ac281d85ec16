import { isObject } from '../../../jsonrpc/message.ts'
import { readToolView } from '../../../protocol/apps.ts'
import type { Resource, ResourceContents, Tool } from '../../../protocol/types.ts'
import type { ServerInventory } from '../inventory.ts'
import type { PageFacts } from './page-facts.ts'
import { pageTextOf, type ReadView } from './read-views.ts'

/** A view, with everything that the rules look at. */
export interface LintedView {
  readonly uri: string
  /** The tools that name it. */
  readonly tools: readonly Tool[]
  /** Its entry in `resources/list`. */
  readonly listed: Resource | undefined
  /** The outcome of reading it. */
  readonly read: ReadView
}

/** A view whose page was read. */
export interface LintedPage extends LintedView {
  readonly contents: ResourceContents
  readonly html: string
  readonly page: PageFacts
}

/** Returns the views of a server that were read. */
export function viewsOf({ tools, resources, views = [] }: ServerInventory): LintedView[] {
  return views.map((read) => ({
    uri: read.uri,
    tools: tools.filter((tool) => readToolView(tool).resourceUri === read.uri),
    listed: resources.find(({ uri }) => uri === read.uri),
    read,
  }))
}

/** Reads the page of a view. Resolves to `undefined` if there is none. */
export async function pageOf(view: LintedView): Promise<LintedPage | undefined> {
  const { contents } = view.read
  const html = isObject(contents) ? pageTextOf(contents as ResourceContents) : ''
  if (!contents || html.trim() === '') return undefined
  const { readPage } = await import('./page-facts.ts')
  return { ...view, contents, html, page: readPage(html) }
}
