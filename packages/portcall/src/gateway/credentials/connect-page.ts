import type { HookResponse } from '../../protocol/http.ts'

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

/** Renders the page that asks a user whether to connect an account. */
export function connectPage(account: {
  readonly server: string
  readonly principal: string
  readonly host: string
}): HookResponse {
  const server = escapeHtml(account.server)
  const user = account.principal === '' ? '' : `<p>Signed in here as <strong>${escapeHtml(account.principal)}</strong>.</p>`
  return page(
    200,
    `Connect ${server}`,
    `${user}
<p>You sign in at <strong>${escapeHtml(account.host)}</strong> next. Then your requests here can use your account of
<strong>${server}</strong>. Continue only if you asked for this yourself.</p>
<form method="post"><button>Continue</button></form>`,
  )
}

/** Renders a page with a message for the user. */
export function messagePage(status: number, title: string, message: string): HookResponse {
  return page(status, escapeHtml(title), `<p>${escapeHtml(message)}</p>`)
}

/** Sends a browser to another page, which it opens with GET. */
export function redirectTo(url: string, headers: Readonly<Record<string, string>> = {}): HookResponse {
  const own = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers, location: url }
  return { status: 303, headers: own }
}

function page(status: number, title: string, content: string): HookResponse {
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style><h1>${title}</h1>
${content}</html>`
  return { status, headers: HEADERS, body }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '')
}
