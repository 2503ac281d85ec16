/** The request handler that serves the proxy page. */
import { buildViewPolicy, isViewPolicy } from './csp.ts'
import { checkSandboxOptions, renderSandboxPage, type SandboxOptions, SandboxParam } from './sandbox-page.ts'

const PLAIN = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }

/**
 * Creates a request handler that serves the proxy page for `showApp`, at any path. Serve it on another origin than the pages that show views. The policy of
 * the view comes in the query; it is sent as a header if it is one that `buildViewPolicy` builds.
 *
 * @throws TypeError if an option is invalid.
 * @example
 * export default { fetch: sandboxHandler({ hosts: ['https://chat.example.com'] }) }
 */
export function sandboxHandler(options: SandboxOptions): (request: Request) => Response {
  const hosts = checkSandboxOptions('sandboxHandler()', options)
  const page = renderSandboxPage(hosts, 'header')
  return ({ method, url }) => {
    if (method !== 'GET' && method !== 'HEAD')
      return new Response('Use GET', { status: 405, headers: { ...PLAIN, allow: 'GET, HEAD' } })
    const { searchParams } = new URL(url)
    const policy = searchParams.get(SandboxParam.policy) ?? buildViewPolicy(undefined).policy
    if (!isViewPolicy(policy))
      return new Response('The parameter "csp" is not the policy of a view', { status: 400, headers: PLAIN })
    const host = searchParams.get(SandboxParam.host) ?? ''
    if (!hosts.includes(host))
      return new Response('The parameter "host" is not one of the hosts', { status: 403, headers: PLAIN })
    return new Response(method === 'HEAD' ? null : page, {
      headers: {
        ...PLAIN,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `${policy}; frame-ancestors ${host}`,
        'cache-control': 'no-cache',
        'cross-origin-resource-policy': 'cross-origin',
        'origin-agent-cluster': '?1',
      },
    })
  }
}
