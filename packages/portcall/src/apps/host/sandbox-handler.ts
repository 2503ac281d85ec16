/** The request handler that serves the proxy page, and the pages that become views. */
import { parseUrl } from '../../../../util/src/parse-url.ts'
import { isCspSource } from '../../protocol/csp-source.ts'
import { buildViewPolicy, isViewPolicy } from './csp.ts'
import { checkSandboxOptions, renderSandboxPage, type SandboxOptions, SandboxParam, VIEW_PAGE } from './sandbox-page.ts'
import { hasPolicy, isViewHost, proxyHostOf } from './sandbox-url.ts'

/** A response that is no page is not one of the origin either: views have the origin of their pages. */
const PLAIN = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

const refused = (status: number, reason: string, headers: { readonly [name: string]: string } = {}): Response =>
  new Response(reason, { status, headers: { ...PLAIN, ...headers } })

/**
 * Creates a request handler that serves the proxy page for `showApp`, at any path. Serve it on another origin than the pages that show views, and pass the URL
 * that the browser requested. The policy of the view comes in the query; it is sent as a header if it is one that `buildViewPolicy` builds.
 *
 * @throws TypeError if an option is invalid.
 * @example
 * export default { fetch: sandboxHandler({ hosts: ['https://chat.example.com'] }) }
 */
export function sandboxHandler(options: SandboxOptions): (request: Request) => Promise<Response> {
  const hosts = checkSandboxOptions('sandboxHandler()', options)
  const proxyHtml = renderSandboxPage(hosts, 'header')
  return async ({ method, url }) => {
    if (method !== 'GET' && method !== 'HEAD') return refused(405, 'Use GET', { allow: 'GET, HEAD' })
    const { searchParams, hostname } = new URL(url)
    const policy = searchParams.get(SandboxParam.policy) ?? buildViewPolicy(undefined).policy
    if (!isViewPolicy(policy)) return refused(400, 'The parameter "csp" is not the policy of a view')
    const host = searchParams.get(SandboxParam.host) ?? ''
    if (!hosts.includes(host)) return refused(403, 'The parameter "host" is not one of the hosts')
    const served = isViewHost(hostname)
      ? await viewPage(hostname, policy, searchParams.get(SandboxParam.proxy))
      : proxyPage(hostname, policy, searchParams.get(SandboxParam.view))
    if (served instanceof Response) return served
    return new Response(method === 'HEAD' ? null : (served.html ?? proxyHtml), {
      headers: {
        ...PLAIN,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `${served.csp} ${host}`,
        'cache-control': 'no-cache',
        'cross-origin-resource-policy': 'cross-origin',
        'origin-agent-cluster': '?1',
      },
    })
  }
}

/** A page, by default the proxy page, and its policy up to the origin of the host. */
interface ServedPage {
  readonly html?: string
  readonly csp: string
}

/** The page that becomes a view. A page with the origin of views must not have another policy than theirs. */
async function viewPage(hostname: string, policy: string, proxyParam: string | null): Promise<ServedPage | Response> {
  if (!(await hasPolicy(hostname, policy))) return refused(403, 'The host name is that of views with another policy')
  const proxy = originOf(proxyParam, (other) => other === proxyHostOf(hostname))
  if (proxy === undefined) return refused(400, 'The parameter "proxy" is not the origin of the proxy page')
  return { html: VIEW_PAGE, csp: `${policy}; frame-ancestors ${proxy}` }
}

function proxyPage(hostname: string, policy: string, viewParam: string | null): ServedPage | Response {
  if (viewParam === null) return { csp: `${policy}; frame-ancestors` }
  const view = originOf(viewParam, (other) => isViewHost(other) && proxyHostOf(other) === hostname)
  if (view === undefined) return refused(400, 'The parameter "view" is not the URL of a view of this proxy page')
  return { csp: `${PROXY_POLICY}; frame-src ${view}; frame-ancestors` }
}

/** Returns the origin of a URL whose host name is accepted. */
function originOf(text: string | null, accepts: (hostname: string) => boolean): string | undefined {
  const url = parseUrl(text ?? '')
  return url && accepts(url.hostname) && isCspSource(url.origin) ? url.origin : undefined
}

/** The policy of a proxy page whose view has another origin. The view can navigate its frame nowhere else. */
const PROXY_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
