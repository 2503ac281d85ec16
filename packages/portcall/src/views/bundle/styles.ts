import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ViewError } from '../errors.ts'
import { dataUrlOf } from './assets.ts'

const IMPORT = /@import\s+(?:url\(\s*)?["']?([^"')\s;]+)["']?\s*\)?\s*([^;@]*);/g
const REFERENCE = /url\(\s*(["']?)([^"'()]+)\1\s*\)/g
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i

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
  return css
    .replace(IMPORT, (rule: string, file: string, media: string) => {
      if (ELSEWHERE.test(file)) return rule
      const imported = readStyles(from(file), maxAssetBytes, [...above, path])
      return media.trim() === '' ? imported : `@media ${media.trim()} {${imported}}`
    })
    .replace(REFERENCE, (reference: string, _quote: string, file: string) =>
      ELSEWHERE.test(file) ? reference : `url("${dataUrlOf(from(file), maxAssetBytes)}")`,
    )
}
