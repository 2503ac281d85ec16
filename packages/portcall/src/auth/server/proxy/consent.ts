import type { Page } from '../types.ts'
import type { ProxyClient } from './clients.ts'
import { isLoopback } from './redirects.ts'

/** What a user is asked. */
export interface Question {
  readonly client: ProxyClient
  readonly redirectUri: string
  readonly scopes: readonly string[]
  /** What users know the server as. */
  readonly name: string
  readonly upstreamHost: string
  readonly upstreamScopes: readonly string[]
  /** The request, sealed: it comes back with the answer. */
  readonly sealed: string
}

const STYLE = 'body{font:16px/1.5 system-ui;max-width:34em;margin:4em auto;padding:0 1em}button{font:inherit;padding:.4em 1.5em}'

/** No script runs, nothing is loaded, and no other page can put it into a frame. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

/** Asks the user whether a client may act for them: who it is, where the answer goes, and what it may do. */
export function consentPage(question: Question, headers: Readonly<Record<string, string>>): Page {
  const { client, redirectUri, scopes, name, upstreamHost, upstreamScopes, sealed } = question
  const known = client.documentHost
    ? `It is described at <strong>${escaped(client.documentHost)}</strong>.`
    : 'It has registered itself: its name is its own word, and nobody has checked it.'
  const where = isLoopback(redirectUri)
    ? `to a program on this computer (<strong>${escaped(new URL(redirectUri).host)}</strong>). Go on only if you have just started that program yourself`
    : `to <strong>${escaped(new URL(redirectUri).host)}</strong>`
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Allow access?</title><style>${STYLE}</style>
<h1>${escaped(client.name)} wants to use ${escaped(name)} for you</h1>
<p>${known}</p>
<p>Access is given ${where}.</p><p>Address: <code>${escaped(redirectUri)}</code></p>
${list(`It asks ${name} for:`, scopes)}
<p>You sign in at <strong>${escaped(upstreamHost)}</strong> next.</p>
${list(`${name} asks there for:`, upstreamScopes)}
<form method="post"><input type="hidden" name="request" value="${escaped(sealed)}">
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></form></html>`
  return { status: 200, headers: { ...HEADERS, ...headers }, body }
}

function list(title: string, items: readonly string[]): string {
  if (items.length === 0) return ''
  return `<p>${escaped(title)}</p><ul>${items.map((item) => `<li>${escaped(item)}</li>`).join('')}</ul>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '')
}
