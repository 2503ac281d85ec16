import { ViewError } from '../../errors.ts'
import { dataUrlOf } from '../assets.ts'
import { rewriteUrls } from '../css/urls.ts'
import type { ViewPageContext } from './context.ts'
import { type Edit, type PageElement, printAttribute } from './document.ts'

/**
 * How an attribute refers to a file. `image`: it becomes a part of the page. `media`: so does it, unless it is too large, which is a warning. The others are
 * warnings: a frame or plug-in, a target of links, or a symbol of another SVG file.
 */
type Kind = 'image' | 'media' | 'set' | 'frame' | 'link' | 'symbol'

const LINKS = { href: 'link', 'xlink:href': 'link' } as const
const SVG_IMAGE = { href: 'image', 'xlink:href': 'image' } as const

/** The attributes that name files, by element. Scripts and style sheets are not among them. */
const REFERENCES: { readonly [element: string]: { readonly [attribute: string]: Kind } } = {
  img: { src: 'image', srcset: 'set' },
  input: { src: 'image', formaction: 'link' },
  source: { src: 'media', srcset: 'set' },
  video: { src: 'media', poster: 'media' },
  audio: { src: 'media' },
  track: { src: 'media' },
  body: { background: 'media' },
  table: { background: 'media' },
  td: { background: 'media' },
  image: SVG_IMAGE,
  feimage: SVG_IMAGE,
  use: { href: 'symbol', 'xlink:href': 'symbol' },
  iframe: { src: 'frame' },
  frame: { src: 'frame' },
  embed: { src: 'frame' },
  object: { data: 'frame' },
  a: LINKS,
  area: LINKS,
  form: { action: 'link' },
  button: { formaction: 'link' },
}

const ADVICE: { readonly [kind in 'frame' | 'link' | 'symbol']: string } = {
  frame: 'A view has no other pages. Put the content into the page, or serve it from an origin that csp.frameDomains names',
  link: 'A view has no other pages. Use an absolute address, and openLink of the app',
  symbol: 'Browsers load no symbols of other files in a view. Put the <symbol> into the page, and refer to it as #id',
}

/** Makes the files that an element names parts of the page, and warns about what a view cannot load. @throws ViewError for a missing file. */
export function inlineReferences(element: PageElement, context: ViewPageContext): readonly Edit[] {
  const edits: Edit[] = []
  const change = (attribute: string, value: string | undefined): void => {
    if (value !== undefined && value !== element.attributes.get(attribute))
      edits.push({ ...element.rangeOf(attribute), text: printAttribute(attribute, value) })
  }
  for (const [attribute, kind] of Object.entries(REFERENCES[element.name] ?? {})) {
    const value = element.attributes.get(attribute)
    if (value === undefined) continue
    if (kind === 'set') change(attribute, inlineSet(value, context))
    else if (context.files.isLocal(value)) change(attribute, inlineFile(value, { kind, element, attribute }, context))
  }
  const style = element.attributes.get('style')
  if (style?.includes('('))
    change(
      'style',
      rewriteUrls(style, (reference) => inlineImage(reference, context)),
    )
  return edits
}

interface Place {
  readonly kind: Exclude<Kind, 'set'>
  readonly element: PageElement
  readonly attribute: string
}

function inlineFile(reference: string, { kind, element, attribute }: Place, context: ViewPageContext): string | undefined {
  if (kind === 'image') return inlineImage(reference, context)
  if (kind === 'media') return inlineMedia(reference, context)
  context.onWarning(`<${element.name} ${attribute}=${JSON.stringify(reference)}>: ${ADVICE[kind]}`)
  return undefined
}

/** Returns an image as a data URL. @throws ViewError when it is missing or too large. */
function inlineImage(reference: string, { files, maxAssetBytes }: ViewPageContext): string | undefined {
  if (!files.isLocal(reference)) return undefined
  const { path, fragment } = files.find(reference)
  return dataUrlOf(path, maxAssetBytes) + fragment
}

/** Returns a file as a data URL, or undefined, with a warning, for one that is too large. */
export function inlineMedia(reference: string, context: ViewPageContext): string | undefined {
  try {
    return inlineImage(reference, context)
  } catch (error) {
    if (!(error instanceof ViewError) || error.code !== 'VIEW_BUILD_FAILED') throw error
    context.onWarning(error.message)
    return undefined
  }
}

/** Replaces the files of a `srcset`. A candidate that is too large is left as it is, with a warning. */
function inlineSet(value: string, context: ViewPageContext): string | undefined {
  const candidates: string[] = []
  const url = /[\s,]*(\S+)/y
  const descriptor = /[^,]*/y
  for (let match = url.exec(value); match; match = url.exec(value)) {
    const written = match[1] ?? ''
    const reference = written.replace(/,$/, '')
    descriptor.lastIndex = url.lastIndex
    const described = reference === written ? (descriptor.exec(value)?.[0] ?? '').trim() : ''
    if (reference === written) url.lastIndex = descriptor.lastIndex
    const inlined = context.files.isLocal(reference) ? inlineMedia(reference, context) : undefined
    candidates.push(`${inlined ?? reference} ${described}`.trim())
  }
  return value.trim() === candidates.join(', ') ? undefined : candidates.join(', ')
}
