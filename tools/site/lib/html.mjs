/** The HTML that pages may contain. */
const ALLOWED = /^<(!--|\/?(a|b|br|details|div|em|i|img|kbd|p|picture|source|strong|sub|summary|sup)\b)/i

/** A markdown-it plugin that rejects other tags: browsers and GitHub hide `<name>` where it is meant as text. */
export function htmlOfPages(md) {
  md.core.ruler.push('html-of-pages', ({ tokens, env }) => {
    const html = tokens.flatMap((token) => [token, ...(token.children ?? [])]).filter(({ type }) => type.startsWith('html_'))
    const unknown = html.find(({ content }) => content.trimStart().startsWith('<') && !ALLOWED.test(content.trim()))
    if (unknown) throw new Error(`${env.path}: "${unknown.content.trim()}" is read as HTML; write it as code, or \\< for <`)
  })
}
