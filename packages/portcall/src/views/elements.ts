/** Reads the elements of a page that name files, in linear time. */

const ELEMENT = /<(script|link|img)\b([^<>]*)>/gi
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i

/** An element of a page that may name a file. */
export interface PageElement {
  readonly name: 'script' | 'link' | 'img'
  readonly attributes: string
  /** The text of a script. */
  readonly code: string
}

/** Returns the value of an attribute. */
export function attribute(attributes: string, name: string): string | undefined {
  const [, quoted, single, bare] = new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(attributes) ?? []
  return quoted ?? single ?? bare
}

/** Reports whether a reference names a file beside the page. */
export const isLocal = (file: string | undefined): file is string => file !== undefined && file !== '' && !ELSEWHERE.test(file)

/** Returns the elements of a page. The text of a script is not searched for elements. */
export function elementsOf(html: string): PageElement[] {
  const lower = html.toLowerCase()
  const found: PageElement[] = []
  let codeEnd = 0
  for (const { 0: tag, 1: name = '', 2: attributes = '', index } of html.matchAll(ELEMENT)) {
    if (index < codeEnd) continue
    const start = index + tag.length
    const isScript = name.toLowerCase() === 'script'
    if (isScript) {
      const end = lower.indexOf('</script', start)
      codeEnd = end === -1 ? html.length : end
    }
    found.push({ name: name.toLowerCase() as PageElement['name'], attributes, code: isScript ? html.slice(start, codeEnd) : '' })
  }
  return found
}
