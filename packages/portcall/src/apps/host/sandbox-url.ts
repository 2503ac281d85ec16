/** The URLs of the proxy page of one view, and of the view. */
import { toHex } from '../../../../util/src/bytes.ts'
import { sha256Hex } from '../../../../util/src/digest.ts'
import { parseUrl } from '../../../../util/src/parse-url.ts'
import { HostError } from './errors.ts'
import { SandboxParam } from './sandbox-page.ts'

/** The URL of a proxy page. */
export interface SandboxUrl {
  /** The URL. */
  readonly href: string
  /** Its origin. */
  readonly origin: string
  /** True if the view has an origin of its own, which no view of another server has. */
  readonly hasOwnOrigin: boolean
}

interface SandboxUrlParts {
  /** The origin of the host. */
  readonly host: string
  /** The policy of the view. */
  readonly policy: string
  /** The name that stands for `*` in the origin of the view. */
  readonly name: string
}

const WILDCARD = /^(https?:\/\/)\*(?=\.)/i
/** The name that stands for `*` in the origin of the proxy page. It must differ from that of the view: pages with one origin can change each other. */
const PROXY_NAME = 'proxy'

/** Completes the URL of a proxy page. @throws HostError if it has the origin of the host; TypeError if it is none of the web. */
export function sandboxUrl(sandbox: string | URL, { host, policy, name }: SandboxUrlParts): SandboxUrl {
  const text = String(sandbox)
  const named = (own: string): URL | undefined =>
    parseUrl(
      text.replace(WILDCARD, (_, scheme: string) => scheme + own),
      host,
    )
  const url = named(PROXY_NAME)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new TypeError(`showApp(): sandbox must be a URL such as https://views.example.com, not ${JSON.stringify(text)}`)
  if (url.origin === host)
    throw new HostError(
      'SANDBOX_SAME_ORIGIN',
      `sandbox has the origin of this page, ${host}, so views could read everything here. Serve sandboxHandler() on another port or host name`,
    )
  const view = WILDCARD.test(text) ? named(name) : undefined
  for (const page of [url, view]) {
    page?.searchParams.set(SandboxParam.host, host)
    page?.searchParams.set(SandboxParam.policy, policy)
  }
  if (view) {
    view.searchParams.set(SandboxParam.proxy, url.origin)
    url.searchParams.set(SandboxParam.view, view.href)
  }
  return { href: url.href, origin: url.origin, hasOwnOrigin: view !== undefined }
}

const SERVER_LENGTH = 32
const POLICY_LENGTH = 24

/**
 * Returns the name that stands for `*`: the same one for views of one server with one policy, or a new one. It contains a hash of the policy, so that
 * a page of the same origin never has another policy.
 */
export async function originName(server: string | undefined, policy: string): Promise<string> {
  const own =
    server === undefined
      ? toHex(crypto.getRandomValues(new Uint8Array(SERVER_LENGTH / 2)))
      : (await sha256Hex(server)).slice(0, SERVER_LENGTH)
  return `${own}-${await policyHash(policy)}`
}

/** Reports whether a host name is that of a view. */
export const isViewHost = (hostname: string): boolean => VIEW_HOST.test(hostname)

/** Reports whether the host name of a view is one that `originName` returns for a policy. */
export async function hasPolicy(hostname: string, policy: string): Promise<boolean> {
  return labelOf(hostname).endsWith(`-${await policyHash(policy)}`)
}

/** Returns the host name of the proxy page of a view. */
export const proxyHostOf = (hostname: string): string => PROXY_NAME + hostname.slice(labelOf(hostname).length)

const VIEW_HOST = new RegExp(`^[0-9a-f]{${SERVER_LENGTH}}-[0-9a-f]{${POLICY_LENGTH}}\\.`)

const labelOf = (hostname: string): string => hostname.split('.', 1)[0] ?? ''

const policyHash = async (policy: string): Promise<string> => (await sha256Hex(policy)).slice(0, POLICY_LENGTH)
