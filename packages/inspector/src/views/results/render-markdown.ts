import DOMPurify from 'dompurify'
import { Marked } from 'marked'
import { webAddress } from '../../ui/external-link.tsx'

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** HTML in the text stays text, and a picture is its description with its address: loading it would tell someone that it was read. */
const marked = new Marked({
  async: false,
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ href, text }) => `<code>${escapeHtml(`![${text}](${href})`)}</code>`,
    link({ href, tokens }) {
      const label = this.parser.parseInline(tokens)
      const address = webAddress(href)
      return address === undefined
        ? `${label} <code>${escapeHtml(href)}</code>`
        : `<a href="${escapeHtml(address)}">${label}</a> <code>${escapeHtml(address)}</code>`
    },
  },
})

const purify = DOMPurify(window)
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer')
})

const TAGS = 'a,b,blockquote,br,code,del,em,h1,h2,h3,h4,h5,h6,hr,i,li,ol,p,pre,s,strong,table,tbody,td,th,thead,tr,ul'.split(',')

/** Renders Markdown as HTML that is safe to put into the page: text, links that open on a click, lists, tables and code. */
export function renderMarkdown(text: string): string {
  const html = marked.parse(text, { async: false })
  return purify.sanitize(html, { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: ['href', 'start'], ALLOWED_URI_REGEXP: /^https?:/i })
}
