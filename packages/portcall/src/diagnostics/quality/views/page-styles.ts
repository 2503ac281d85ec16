/** The parts of style sheets that decide about the height of a page, and the files that they name. */

/** A style sheet, as far as views need it. */
export interface StyleFacts {
  /** The addresses of files. */
  readonly files: readonly string[]
  /** The declaration that follows the height of the frame, such as `min-height: 100vh`. */
  readonly followsFrame: string | undefined
  /** The rule that gives the page no height. */
  readonly noHeight: string | undefined
}

const FOLLOWS = /(?:^|[;\s])((?:min-)?height)\s*:\s*(?:calc\(\s*)?(100[dsl]?vh)\b/i
const NO_HEIGHT = /(?:^|[;\s])(?:max-)?height\s*:\s*0(?:px)?\s*(?:!important\s*)?(?:;|$)/i
const ROOT = /^(?:html|body|:root)$/i

/** Reads a style sheet, or with `isAttribute` the declarations of an element. */
export function readStyleFacts(css: string, isAttribute = false): StyleFacts {
  const text = withoutComments(css)
  const blocks = isAttribute ? [{ selector: '', body: text }] : blocksOf(text)
  const follows = blocks.map(({ body }) => FOLLOWS.exec(body)).find((found) => found)
  const none = blocks.find(
    ({ selector, body }) => NO_HEIGHT.test(body.trim()) && selector.split(',').some((one) => ROOT.test(one.trim())),
  )
  return {
    files: filesOf(text),
    followsFrame: follows ? `${follows[1]}: ${follows[2]}` : undefined,
    noHeight: none && `${none.selector.trim().slice(0, 60)} { ${none.body.trim().slice(0, 60)} }`,
  }
}

function withoutComments(css: string): string {
  const [first = '', ...rest] = css.split('/*')
  return first + rest.map((part) => part.split('*/').slice(1).join('*/')).join(' ')
}

/** Returns the rules, also those inside other rules. */
function blocksOf(css: string): { selector: string; body: string }[] {
  const blocks: { selector: string; body: string }[] = []
  const pieces = css.split('{')
  for (const [index, piece] of pieces.entries()) {
    const selector = (pieces[index - 1] ?? '').split(/[;}]/).at(-1) ?? ''
    if (index > 0) blocks.push({ selector, body: piece.split('}', 1)[0] ?? '' })
  }
  return blocks
}

const FILE = /(?:\burl\(|@import)\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"')(;]+))/gi

function filesOf(css: string): string[] {
  return [...css.matchAll(FILE)]
    .map(([, quoted, single, bare]) => quoted ?? single ?? bare ?? '')
    .filter((file) => file !== 'url')
}
