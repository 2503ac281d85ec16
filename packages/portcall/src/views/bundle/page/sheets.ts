import { namesLocalFiles } from '../css/read-sheet.ts'
import type { ViewPageContext } from './context.ts'
import { type Edit, type PageElement, printAttribute } from './document.ts'
import { inlineMedia } from './references.ts'

/** A style sheet of the page, which gets an element in its place. */
export interface PageSheet {
  readonly element: PageElement
  readonly attributes: ReadonlyMap<string, string>
  /** The file, or the text of a `<style>` element. */
  readonly source: { readonly path: string } | { readonly code: string }
  /** True for a style sheet that is loaded switched off. */
  readonly isDisabled: boolean
}

/** A style sheet, or the changes that an element needs. */
export type SheetOrEdits = { readonly sheet: PageSheet } | { readonly edits: readonly Edit[] }

/** The attributes of a link that mean nothing on a `<style>` element. */
const OF_LINKS = [
  'rel',
  'href',
  'type',
  'as',
  'disabled',
  'integrity',
  'crossorigin',
  'referrerpolicy',
  'fetchpriority',
  'charset',
]
const NOTHING: SheetOrEdits = { edits: [] }

/** Reads a `<link>`. @throws ViewError for a missing file. */
export function readLink(element: PageElement, context: ViewPageContext): SheetOrEdits {
  const { attributes, start, end } = element
  const href = attributes.get('href')
  if (!context.files.isLocal(href)) return NOTHING
  const relations = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/)
  const has = (relation: string): boolean => relations.includes(relation)
  // Pages load style sheets late by changing the relation of a preloaded one.
  const isLate = has('preload') && attributes.get('as') === 'style' && attributes.has('onload')
  if (has('stylesheet') || isLate) {
    const kept = new Map([...attributes].filter(([name]) => !OF_LINKS.includes(name)))
    const isDisabled = attributes.has('disabled') || has('alternate')
    return { sheet: { element, attributes: kept, source: context.files.find(href), isDisabled } }
  }
  if (relations.some((relation) => /icon$/.test(relation))) {
    const url = inlineMedia(href, context)
    return url === undefined ? NOTHING : { edits: [{ ...element.rangeOf('href'), text: printAttribute('href', url) }] }
  }
  const isLoaded = relations.some((relation) => /^(?:preload|modulepreload|prefetch|prerender|manifest)$/.test(relation))
  return isLoaded ? { edits: [{ start, end, text: '' }] } : NOTHING
}

/** Reads a `<style>`: it is a style sheet to process if it names files. */
export function readStyle(element: PageElement): SheetOrEdits {
  const { attributes, content } = element
  const type = attributes.get('type')?.trim().toLowerCase() ?? ''
  if (type !== '' && type !== 'text/css') return NOTHING
  if (!namesLocalFiles(content.text)) return NOTHING
  return { sheet: { element, attributes, source: { code: content.text }, isDisabled: false } }
}
