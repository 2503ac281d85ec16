import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isLocal } from '../elements.ts'
import { ViewError } from '../errors.ts'
import { dataUrlOf } from './assets.ts'

/** The start of an import after `@import`: the file. The media follow. */
const IMPORTED = /^(?:url\(\s*)?["']?([^"')\s;]+)["']?\s*\)?/
const REFERENCE = /url\(([^()]*)\)/g

/** Replaces the imports of a style sheet. `replace` returns undefined to keep one. */
function replaceImports(css: string, replace: (file: string, media: string) => string | undefined): string {
  const [head = '', ...pieces] = css.split(/@import\s/)
  const replaced = pieces.map((piece) => {
    const end = piece.indexOf(';')
    const body = piece.slice(0, Math.max(end, 0)).trim()
    const [start = '', file] = IMPORTED.exec(body) ?? []
    const text = file === undefined ? undefined : replace(file, body.slice(start.length).trim())
    return text === undefined ? `@import ${piece}` : text + piece.slice(end + 1)
  })
  return head + replaced.join('')
}

/** Returns a style sheet with the style sheets that it imports, and with its files as data URLs. @throws ViewError when a file is missing. */
export function readStyles(path: string, maxAssetBytes: number, above: readonly string[] = []): string {
  if (above.includes(path)) return ''
  let css: string
  try {
    css = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ViewError('VIEW_NOT_FOUND', `The style sheet ${path} of the view does not exist`, { cause: error })
  }
  const from = (file: string): string => resolve(dirname(path), file.replace(/[?#][\s\S]*/, ''))
  const whole = replaceImports(css, (file, media) => {
    if (!isLocal(file)) return undefined
    const imported = readStyles(from(file), maxAssetBytes, [...above, path])
    return media === '' ? imported : `@media ${media} {${imported}}`
  })
  return whole.replace(REFERENCE, (reference: string, text: string) => {
    const file = text.trim().replace(/^["']|["']$/g, '')
    return isLocal(file) ? `url("${dataUrlOf(from(file), maxAssetBytes)}")` : reference
  })
}
