/** The tags of an HTML page, found in linear time. */

/** A start tag, with the text of elements whose content is no markup. */
export interface PageTag {
  /** The name of the element, in lower case. */
  readonly name: string
  /** The attributes, by their names in lower case. */
  readonly attributes: ReadonlyMap<string, string>
  /** The text of a `script` or `style` element; otherwise empty. */
  readonly text: string
}

/** The elements whose content is text, with the pattern of their end. */
const TEXT_ENDS: ReadonlyMap<string, RegExp> = new Map(
  ['script', 'style', 'textarea', 'title', 'iframe', 'noscript', 'xmp', 'noembed', 'noframes'].map((name) => [
    name,
    new RegExp(`</${name}(?=[\\s/>])`, 'gi'),
  ]),
)

const NAME = /[a-z][^\s/>]*/iy
const SPACE = /[\s/]*/y
const ATTRIBUTE_NAME = /[^\s/>=][^\s/>=]*/y
const EQUALS = /\s*=\s*/y
const BARE_VALUE = /[^\s>]*/y

/** Returns the start tags of a page, in order. Comments, and the text of scripts and styles, contain none. */
export function pageTagsOf(html: string): PageTag[] {
  const tags: PageTag[] = []
  let at = html.indexOf('<')
  while (at >= 0) {
    if (html.startsWith('<!--', at)) at = endOf(html, '-->', at + 2)
    else {
      const name = match(NAME, html, at + 1)?.toLowerCase()
      if (name === undefined) at += 1
      else {
        const read = readTag(html, name, at + 1 + name.length)
        if (!read) break
        tags.push(read.tag)
        at = read.end
      }
    }
    at = at < 0 ? -1 : html.indexOf('<', at)
  }
  return tags
}

/** Reads the attributes of a tag, and its text. Returns `undefined` if the page ends before the tag does. */
function readTag(html: string, name: string, start: number): { tag: PageTag; end: number } | undefined {
  const attributes = new Map<string, string>()
  let at = start
  for (;;) {
    at += match(SPACE, html, at)?.length ?? 0
    if (at >= html.length) return undefined
    if (html[at] === '>') break
    const attribute = match(ATTRIBUTE_NAME, html, at)
    if (attribute === undefined) {
      at += 1
      continue
    }
    at += attribute.length
    const value = readValue(html, at)
    if (!value) return undefined
    if (!attributes.has(attribute.toLowerCase())) attributes.set(attribute.toLowerCase(), value.text)
    at = value.end
  }
  return withText(html, at + 1, { name, attributes })
}

function readValue(html: string, start: number): { text: string; end: number } | undefined {
  const equals = match(EQUALS, html, start)
  if (equals === undefined) return { text: '', end: start }
  const at = start + equals.length
  const quote = html[at]
  if (quote === '"' || quote === "'") {
    const end = html.indexOf(quote, at + 1)
    return end < 0 ? undefined : { text: decode(html.slice(at + 1, end)), end: end + 1 }
  }
  const text = match(BARE_VALUE, html, at) ?? ''
  return { text: decode(text), end: at + text.length }
}

function withText(html: string, start: number, element: Omit<PageTag, 'text'>): { tag: PageTag; end: number } {
  const { name } = element
  const pattern = TEXT_ENDS.get(name)
  if (!pattern) return { tag: { ...element, text: '' }, end: start }
  pattern.lastIndex = start
  const end = pattern.exec(html)?.index ?? html.length
  const isKept = name === 'script' || name === 'style'
  return { tag: { ...element, text: isKept ? html.slice(start, end) : '' }, end }
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? -1 : at + mark.length
}

/** Decodes the character reference that addresses contain. */
function decode(value: string): string {
  return value.replaceAll('&amp;', '&').trim()
}
