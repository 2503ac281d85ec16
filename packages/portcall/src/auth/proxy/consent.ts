import { escapeHtml } from '../../../../util/src/escape-html.ts'
import type { HookResponse } from '../../protocol/http.ts'
import { renderPage } from '../html-page.ts'
import { isLoopbackUrl } from '../server/resource.ts'
import type { ProxyClient } from './clients.ts'

/** The content of the consent page. */
export interface ConsentRequest {
  readonly client: ProxyClient
  readonly redirectUri: string
  readonly scopes: readonly string[]
  /** The name of the server. */
  readonly name: string
  readonly upstreamHost: string
  readonly upstreamScopes: readonly string[]
  /** The sealed authorization request, which the form sends back. */
  readonly sealed: string
}

const PROVENANCE: Readonly<Record<ProxyClient['source'], (client: ProxyClient) => string>> = {
  configuration: () => 'It was registered by the operator of this server.',
  document: ({ id }) => `It is described at <strong>${escapeHtml(new URL(id).host)}</strong>.`,
  registration: () => 'It registered itself. Nobody has verified its name.',
}
/** Renders the page that asks whether a client may act for the user: who it is, where the response goes, and which scopes it gets. */
export function consentPage(consent: ConsentRequest, headers: Readonly<Record<string, string>>): HookResponse {
  const { client, redirectUri, scopes, name, upstreamHost, upstreamScopes, sealed } = consent
  const provenance = PROVENANCE[client.source](client)
  const host = `<strong>${escapeHtml(new URL(redirectUri).host)}</strong>`
  const recipient = isLoopbackUrl(redirectUri)
    ? `to a program on this computer (${host}). Continue only if you have just started that program yourself`
    : `to ${host}`
  const content = `<h1>${escapeHtml(client.name)} wants to use ${escapeHtml(name)} for you</h1>
<p>${provenance}</p>
<p>Access is given ${recipient}.</p><p>Address: <code>${escapeHtml(redirectUri)}</code></p>
${list(`It asks ${name} for:`, scopes)}
<p>You sign in at <strong>${escapeHtml(upstreamHost)}</strong> next.</p>
${list(`${name} asks there for:`, upstreamScopes)}
<form method="post"><input type="hidden" name="request" value="${escapeHtml(sealed)}">
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></form>`
  return renderPage({ title: 'Allow access?', content, headers })
}

/** Renders the page that a user sees after denying access. `clientUrl` is the response to the client, which the user may follow. */
export function denialPage(clientUrl: URL): HookResponse {
  const content = `<h1>You denied access</h1><p>Nothing was shared. You can close this page.</p>
<p><a rel="noreferrer" href="${escapeHtml(clientUrl.href)}">Return to ${escapeHtml(clientUrl.host)}</a></p>`
  return renderPage({ title: 'Access denied', content })
}

function list(title: string, items: readonly string[]): string {
  if (items.length === 0) return ''
  return `<p>${escapeHtml(title)}</p><ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`
}
