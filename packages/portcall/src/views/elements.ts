/** The elements of a page that name files, found in linear time. */

const TAG = /<(script|link|img)\b([^<>]*)>/gi
const SCRIPT_END = /<\/script\s*>/gi
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i

/** An element of a page that may name a file. */
export interface PageElement {
  readonly name: 'script' | 'link' | 'img'
  readonly attributes: string
  /** The text of a script. */
  readonly code: string
  /** The place of the element in the page, with the end tag of a script. */
  readonly start: number
  readonly end: number
}

/** The attribute after the start, a space, or the value before it: `data-src` is not `src`. */
const attributePattern = (name: string): RegExp =>
  new RegExp(`(^|[\\s"'/])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i')

/** Returns the value of an attribute. */
export function attribute(attributes: string, name: string): string | undefined {
  const [, , quoted, single, bare] = attributePattern(name).exec(attributes) ?? []
  return quoted ?? single ?? bare
}

/** Returns an element with another value of an attribute that it has. The value must have no quotes. */
export function withAttribute(element: string, name: string, value: string): string {
  return element.replace(attributePattern(name), (_, before: string) => `${before}${name}="${value}"`)
}

/** Reports whether a reference names a file beside the page. */
export const isLocal = (file: string | undefined): file is string => file !== undefined && file !== '' && !ELSEWHERE.test(file)

/** Returns the elements of a page, in order. The text of a script is not searched for elements; a script without an end is left out. */
export function elementsOf(html: string): PageElement[] {
  const found: PageElement[] = []
  let searched = 0
  for (const { 0: tag, 1: tagName = '', 2: attributes = '', index: start } of html.matchAll(TAG)) {
    if (start < searched) continue
    const name = tagName.toLowerCase() as PageElement['name']
    const codeStart = start + tag.length
    if (name !== 'script') {
      found.push({ name, attributes, code: '', start, end: codeStart })
      continue
    }
    SCRIPT_END.lastIndex = codeStart
    const last = SCRIPT_END.exec(html)
    if (!last) break
    searched = SCRIPT_END.lastIndex
    found.push({ name, attributes, code: html.slice(codeStart, last.index), start, end: searched })
  }
  return found
}
