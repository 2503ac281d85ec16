import { parseUrl } from '../../../../../util/src/parse-url.ts'
import type { DiagnosisState, HttpObservation } from '../facts.ts'
import { errorProblem } from '../outcome.ts'
import type { DiagnosisProblem } from '../types.ts'
import { isServer } from './find-server.ts'

/**
 * Explains a redirect, which clients do not follow. A server behind a proxy that does not know its public address redirects to another origin:
 * then the same path may answer at the origin of the request.
 */
export async function explainRedirect(
  { status = 0, headers, url }: HttpObservation,
  state: DiagnosisState,
): Promise<DiagnosisProblem | undefined> {
  if (status < 300 || status > 399) return undefined
  const { location } = headers
  const target = location === undefined ? undefined : parseUrl(location, url)
  const message = `The server redirects to ${target?.href ?? location ?? 'an unknown place'} (HTTP ${status})`
  return errorProblem('redirect', message, await adviceFor(target, url, state))
}

async function adviceFor(target: URL | undefined, url: URL, state: DiagnosisState): Promise<string> {
  if (!target) return 'Clients do not follow redirects. Correct the server, which names no URL.'
  if (isAccess(target))
    return 'Cloudflare Access protects the URL. Send the headers of a service token with --header "CF-Access-Client-Id: ID" --header "CF-Access-Client-Secret: SECRET", or allow the path without a sign-in.'
  if (isSignIn(target)) return 'The page is for browsers. An MCP server responds with 401 and WWW-Authenticate instead.'
  if (target.origin === url.origin) return `Use ${target.href}.`
  if (isSecured(target, url)) return `Use ${target.href}: the server requires https.`
  const here = new URL(target.pathname + target.search, url)
  if (here.href !== url.href && (await isServer(here, state)))
    return `Use ${here.href}. ${target.origin} is the address of the server behind its proxy: let the proxy send Host or X-Forwarded-Host, and X-Forwarded-Proto, and let the server trust them.`
  if (isInternal(target, url))
    return `${target.origin} cannot be reached from outside: it is the address of the server behind its proxy. Let the proxy send Host or X-Forwarded-Host, and X-Forwarded-Proto, and let the server trust them.`
  return `Use ${target.href}. Clients do not follow redirects of POST to another origin.`
}

const isAccess = ({ hostname }: URL): boolean => hostname.endsWith('.cloudflareaccess.com')

function isSignIn({ hostname, pathname }: URL): boolean {
  return /login|signin|sign-in|auth/i.test(pathname) || /^(login|signin|auth|sso|accounts)\./i.test(hostname)
}

function isSecured(target: URL, { protocol, hostname }: URL): boolean {
  return protocol === 'http:' && target.protocol === 'https:' && target.hostname === hostname
}

/** Reports whether a URL is less public than the one before: without TLS, or with a name or an address that only a private network has. */
function isInternal({ protocol, hostname }: URL, before: URL): boolean {
  if (before.protocol === 'https:' && protocol === 'http:') return true
  return !hostname.includes('.') || /\.(svc|local|internal|lan|localdomain|cluster\.local)$/.test(hostname) || isPrivate(hostname)
}

function isPrivate(hostname: string): boolean {
  return /^(10|127)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^\[(::1|f[cd])/.test(hostname)
}
