import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { CSSToken } from '@csstools/css-tokenizer'
import { ViewError } from '../../errors.ts'
import { isLocal } from '../../is-local.ts'
import { dataUrlOf } from '../assets.ts'
import type { LocalFiles } from '../files.ts'
import { withoutSourceMap } from '../page/script-text.ts'
import { type CssImport, importsOf } from './imports.ts'
import { printString, referencesOf, rewriteUrls, tokensOf } from './urls.ts'

/** A style sheet in one piece. */
export interface FlatSheet {
  /** The text before all rules: imports of other origins, and the order of layers. */
  readonly head: string
  readonly body: string
}

/** The means of reading style sheets. */
export interface SheetReader {
  readonly files: LocalFiles
  readonly maxAssetBytes: number
  readonly onWarning: (message: string) => void
}

/** Style sheets that import each other deeper than this are an error. */
const MAX_DEPTH = 50

/** Reads the style sheet in a file, with those that it imports, and with its files as data URLs. @throws ViewError when a file is missing. */
export function readSheet(path: string, reader: SheetReader): FlatSheet {
  const css = withoutSourceMap(readFileSync(path, 'utf8'))
  return flatten({ css, folder: dirname(path), above: [path], conditions: [] }, reader)
}

/** Does the same for the text of a `<style>` element. */
export function readSheetText(css: string, folder: string, reader: SheetReader): FlatSheet {
  return flatten({ css, folder, above: [], conditions: [] }, reader)
}

/** Returns style sheets as one. */
export const joinSheets = (sheets: readonly FlatSheet[]): string =>
  [...sheets.map(({ head }) => head), ...sheets.map(({ body }) => body)].filter((part) => part.trim() !== '').join('\n')

interface SheetText {
  readonly css: string
  readonly folder: string
  /** The files that import this one, and itself. */
  readonly above: readonly string[]
  /** The conditions of the imports above. */
  readonly conditions: readonly string[]
}

function flatten({ css, folder, above, conditions }: SheetText, reader: SheetReader): FlatSheet {
  const tokens = tokensOf(css)
  const imports = importsOf(css, tokens)
  const heads: string[] = []
  const bodies: string[] = []
  let end = 0
  for (const imported of imports) {
    const before = css.slice(end, imported.start).trim()
    end = imported.end
    // Only comments, layers and the encoding can be before an import that is not late.
    if (before !== '') (imported.isLate || bodies.length > 0 ? bodies : heads).push(withoutCharset(before))
    if (imported.isLate) {
      reader.onWarning(
        `Browsers ignore @import ${JSON.stringify(imported.reference)}, because it follows a rule. Move it to the start`,
      )
      continue
    }
    const { head, body } = readImported(imported, { css, folder, above, conditions }, reader)
    heads.push(head)
    bodies.push(body)
  }
  bodies.push(withoutCharset(css.slice(end)) + missingEnds(tokens))
  const body = rewriteUrls(bodies.filter((part) => part.trim() !== '').join('\n'), (reference) => {
    if (!isLocal(reference)) return undefined
    const { path, fragment } = reader.files.find(reference, folder)
    return dataUrlOf(path, reader.maxAssetBytes) + fragment
  })
  return { head: heads.filter((part) => part !== '').join('\n'), body }
}

function readImported(imported: CssImport, importer: SheetText, reader: SheetReader): FlatSheet {
  const { reference, conditions } = imported
  const { folder, above } = importer
  const all = conditions === '' ? importer.conditions : [...importer.conditions, conditions]
  if (!isLocal(reference)) {
    if (all.length > 1)
      reader.onWarning(
        `@import ${JSON.stringify(reference)} keeps only the innermost of its conditions. Import it in the first style sheet`,
      )
    return { head: `@import ${printString(reference)}${all.length > 0 ? ` ${all.at(-1)}` : ''};`, body: '' }
  }
  const { path } = reader.files.find(reference, folder)
  if (above.includes(path)) return { head: '', body: '' }
  if (above.length > MAX_DEPTH)
    throw new ViewError('VIEW_BUILD_FAILED', `The style sheet ${path} is imported more than ${MAX_DEPTH} levels deep`)
  const css = withoutSourceMap(readFileSync(path, 'utf8'))
  const { head, body } = flatten({ css, folder: dirname(path), above: [...above, path], conditions: all }, reader)
  return { head, body: wrap(body, conditions) }
}

/** Puts a style sheet into the layer, the condition and the media of its import. */
function wrap(css: string, conditions: string): string {
  if (conditions === '') return css
  const { layer, supports, media } = splitConditions(conditions)
  let wrapped = css
  if (layer !== undefined) wrapped = `@layer ${layer} {\n${wrapped}\n}`
  if (supports !== undefined) wrapped = `@supports (${supports}) {\n${wrapped}\n}`
  return media === '' ? wrapped : `@media ${media} {\n${wrapped}\n}`
}

function splitConditions(text: string): { layer: string | undefined; supports: string | undefined; media: string } {
  const parts: { layer: string | undefined; supports: string | undefined } = { layer: undefined, supports: undefined }
  let rest = text
  for (const name of ['layer', 'supports'] as const) {
    const [first] = tokensOf(rest)
    if (name === 'layer' && first?.[0] === 'ident-token' && first[4].value.toLowerCase() === name) {
      parts.layer = ''
      rest = rest.slice(first[3] + 1).trim()
    } else if (first?.[0] === 'function-token' && first[4].value.toLowerCase() === name) {
      const end = functionEnd(rest)
      parts[name] = rest.slice(first[3] + 1, end).trim()
      rest = rest.slice(end + 1).trim()
    }
  }
  return { ...parts, media: rest }
}

/** Returns the place of the parenthesis that ends the function at the start of a text. */
function functionEnd(text: string): number {
  let depth = 0
  for (const [type, , start] of tokensOf(text)) {
    if (type === 'function-token' || type === '(-token') depth++
    if (type === ')-token' && --depth === 0) return start
  }
  return text.length
}

const CLOSING: { readonly [type: string]: string } = { '{-token': '}', '(-token': ')', 'function-token': ')', '[-token': ']' }

/** Returns what ends the blocks that a style sheet leaves open, so that what follows it stays outside of them. */
function missingEnds(tokens: readonly CSSToken[]): string {
  const open: string[] = []
  for (const [type] of tokens) {
    const closing = CLOSING[type]
    if (closing !== undefined) open.push(closing)
    else if (open.at(-1) === type.replace('-token', '')) open.pop()
  }
  const last = tokens.findLast(([type]) => type !== 'EOF-token')
  const comment = last?.[0] === 'comment' && !last[1].endsWith('*/') ? '*/' : ''
  return comment + open.reverse().join('')
}

const withoutCharset = (css: string): string => css.replace(/@charset\s{0,20}("[^"]{0,100}"|'[^']{0,100}')\s{0,20};/gi, '').trim()

/** Reports whether a style sheet imports or refers to local files. */
export function namesLocalFiles(css: string): boolean {
  if (!/url|@import|image|src/i.test(css)) return false
  const tokens = tokensOf(css)
  return [...referencesOf(tokens), ...importsOf(css, tokens)].some(({ reference }) => isLocal(reference))
}
