import { escapeHtml } from '../../../../util/src/escape-html.ts'
import type { Bundled } from './bundler.ts'
import { SCRIPT_MARK } from './page-parts.ts'

/** Returns the page of a view that is a script. */
export function pageOfScript(title: string): string {
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
</head>
<body>
<div id="root"></div>
${SCRIPT_MARK}
</body>
</html>
`
}

/** Puts the script and the styles into a page. */
export function assemblePage(html: string, { code, css }: Pick<Bundled, 'code' | 'css'>): string {
  const script = code.trim() === '' ? '' : `<script type="module">${escapeScript(code.trim())}</script>`
  const withScript = html.includes(SCRIPT_MARK) ? html.replace(SCRIPT_MARK, () => script) : html
  if (css.trim() === '') return withScript
  const style = `<style>${escapeStyle(css.trim())}</style>`
  const at = /<\/head\s*>/i.exec(withScript) ?? /<body\b/i.exec(withScript)
  if (!at) return style + withScript
  return withScript.slice(0, at.index) + style + withScript.slice(at.index)
}

/**
 * Escapes what would end a script element. In scripts, `</script` and `<!--` appear only in strings, templates and regular expressions, where an
 * escape means the same.
 */
export function escapeScript(code: string): string {
  return code.replace(/\\<(?=\/script|!--)|\\[\s\S]|<(?=\/script|!--)/gi, (found) => (found.endsWith('<') ? ESCAPED : found))
}

/** A `<` in strings, templates and regular expressions. */
const ESCAPED = '\\x3C'

/** Escapes what would end a style element. */
export function escapeStyle(css: string): string {
  return css.replace(/<(?=\/style)/gi, '\\3C ')
}
