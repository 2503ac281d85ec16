import { createLocalFiles, type FileListener } from '../files.ts'
import type { ViewPageContext } from './context.ts'
import { type Edit, type PageDocument, parsePage } from './document.ts'
import { inlineReferences } from './references.ts'
import { type PageScripts, readScripts } from './scripts.ts'
import { type PageSheet, readLink, readStyle } from './sheets.ts'

/** The parts of a page. */
export interface PageParts extends PageScripts {
  readonly document: PageDocument
  /** The style sheets to process, in order. */
  readonly sheets: readonly PageSheet[]
  readonly context: ViewPageContext
}

/** Options of `splitPage`. */
export interface SplitOptions extends Pick<ViewPageContext, 'path' | 'maxAssetBytes' | 'onWarning'> {
  readonly onFile?: FileListener | undefined
}

/** Finds what a page loads: modules and style sheets for a bundler, and files that become parts of it at once. @throws ViewError for a missing file. */
export function splitPage(html: string, options: SplitOptions): PageParts {
  const document = parsePage(html)
  const base = document.elements.find(({ name, attributes }) => name === 'base' && attributes.has('href'))
  const files = createLocalFiles(options.path, { base: base?.attributes.get('href'), onFile: options.onFile })
  const context: ViewPageContext = { ...options, files }
  const scripts = readScripts(document, context)
  const sheets: PageSheet[] = []
  const edits: Edit[] = [...scripts.edits]
  for (const element of document.elements) {
    if (element.name === 'link' || element.name === 'style') {
      const read = element.name === 'link' ? readLink(element, context) : readStyle(element)
      if ('sheet' in read) sheets.push(read.sheet)
      else edits.push(...read.edits)
    }
    if (element.name !== 'script') edits.push(...inlineReferences(element, context))
  }
  return { ...scripts, document, sheets, edits, context }
}
