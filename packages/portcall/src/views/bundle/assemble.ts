import { basename } from 'node:path'
import { escapeHtml } from '../../../../util/src/escape-html.ts'
import type { Bundled } from './bundler.ts'
import { applyEdits, type Edit, printElement } from './page/document.ts'
import { escapeScript, escapeStyle } from './page/script-text.ts'
import type { PageSheet } from './page/sheets.ts'
import type { PageParts } from './page/split.ts'

/** Returns the page of a view that is a script. */
export function pageOfScript(path: string, title: string): string {
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
</head>
<body>
<div id="root"></div>
<script type="module" src="./${encodeURIComponent(basename(path))}"></script>
</body>
</html>
`
}

/** A style sheet of a page, with its text. */
export interface FinishedSheet {
  readonly sheet: PageSheet
  readonly css: string
}

/** Switches the style sheet before the script off, as that of a link with `disabled`, so that scripts can switch it on. */
const DISABLE = '<script>{const s=document.currentScript;s.previousElementSibling.disabled=true;s.remove()}</script>'

/** Puts the script and the styles into a page. The styles that scripts import follow those of the head. */
export function assemblePage(
  parts: PageParts,
  { code, css }: Pick<Bundled, 'code' | 'css'>,
  sheets: readonly FinishedSheet[],
): string {
  const { document, place } = parts
  const edits: Edit[] = [...parts.edits]
  for (const { sheet, css: text } of sheets) {
    const { element, attributes, isDisabled } = sheet
    const style = printElement('style', attributes, escapeStyle(text.trim()))
    edits.push({ start: element.start, end: element.end, text: isDisabled ? style + DISABLE : style })
  }
  if (place) {
    const script = printElement('script', place.attributes, escapeScript(code.trim()))
    const isEmpty = code.trim() === '' && place.attributes.size === 1
    edits.push({ start: place.element.start, end: place.element.end, text: isEmpty ? '' : script })
  }
  if (css.trim() !== '')
    edits.push({ start: document.headEnd, end: document.headEnd, text: `<style>${escapeStyle(css.trim())}</style>` })
  return applyEdits(document.html, edits)
}
