import type { HookResponse } from '../protocol/http.ts'

/** A page for a browser. All texts are HTML: escape what others wrote. */
export interface HtmlPage {
  readonly title: string
  readonly content: string
  /** Default: 200. */
  readonly status?: number
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>
}

const STYLE = 'body{font:16px/1.5 system-ui;max-width:34em;margin:4em auto;padding:0 1em}button{font:inherit;padding:.4em 1.5em}'

/** Forbids scripts, subresources, and framing by other pages. The link in the address is not passed on to other sites. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

/** Renders a page that loads nothing, runs no scripts and cannot be framed. */
export function renderPage({ title, content, status = 200, headers = {} }: HtmlPage): HookResponse {
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style>
${content}</html>`
  return { status, headers: { ...HEADERS, ...headers }, body }
}
