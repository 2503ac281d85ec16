import { escapeHtml } from '../../../../util/src/escape-html.ts'
import { renderPage } from '../../auth/html-page.ts'
import type { HookResponse } from '../../protocol/http.ts'

/** The path of the pages. */
export const CONNECT_PATH = '/connect/'
/** The path to which authorization servers of MCP servers return browsers. */
export const CALLBACK_PATH: string = `${CONNECT_PATH}callback`
/** The path to which the authorization server of the gateway returns browsers. */
export const LOGIN_PATH: string = `${CONNECT_PATH}login`

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
  const redirectHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers, location: url }
  return { status: 303, headers: redirectHeaders }
}

function page(status: number, title: string, content: string): HookResponse {
  return renderPage({ status, title, content: `<h1>${title}</h1>\n${content}` })
}
