import { errorMessage } from '../../../../util/src/errors.ts'
import { isLoopbackHost } from '../../../../util/src/loopback-host.ts'
import { isStrictUrl } from '../../../../util/src/strict-url.ts'
import type { AddressPolicy } from '../../auth/client/http/address-policy.ts'
import type { CardHeader, CardRemote, ServerCard } from '../../protocol/server-card.ts'

/** How the host of an endpoint relates to the domain whose documents name it. */
export type EndpointRelation =
  /** Scheme, host and port are those of the domain. */
  | 'same-origin'
  /** The host is below the domain: `mcp.example.com` for `example.com`. */
  | 'subdomain'
  /** The host belongs to somebody else. Ask the user before you connect. */
  | 'other-domain'

/** An endpoint that a card names. */
export interface DiscoveredEndpoint {
  /** The URL, or a template with variables. */
  readonly url: string
  /** The transport. */
  readonly type: CardRemote['type']
  /** The protocol versions that the card claims. */
  readonly versions: readonly string[] | undefined
  /** The headers that the card asks for. */
  readonly headers: readonly CardHeader[]
  /** How its host relates to the domain. Undefined for a template. */
  readonly relation: EndpointRelation | undefined
  /** Why clients must not or cannot use it as it is. */
  readonly problem: string | undefined
}

const MAX_ENDPOINTS = 20

/** Returns the endpoints of a card, those of the newer transport first. */
export function endpointsOf({ remotes = [] }: ServerCard, domain: URL, policy: AddressPolicy): DiscoveredEndpoint[] {
  return [...remotes]
    .slice(0, MAX_ENDPOINTS)
    .sort((a, b) => Number(a.type === 'sse') - Number(b.type === 'sse'))
    .map(({ url, type, supportedProtocolVersions, headers = [] }) => ({
      url,
      type,
      versions: supportedProtocolVersions,
      headers,
      relation: url.includes('{') || !isStrictUrl(url) ? undefined : relationOf(new URL(url), domain),
      problem: problemOf(url, policy),
    }))
}

function problemOf(url: string, policy: AddressPolicy): string | undefined {
  if (url.includes('{')) return 'the URL has variables, which have to be filled in'
  if (!isStrictUrl(url)) return 'the URL is not valid'
  try {
    policy.check(url)
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}

/** Returns how the host of a URL relates to a domain. */
export function relationOf(url: URL, domain: URL): EndpointRelation {
  if (url.origin === domain.origin) return 'same-origin'
  const isBelow = url.hostname.endsWith(`.${domain.hostname}`) && domain.hostname.includes('.')
  return isBelow && !isLoopbackHost(domain.hostname) && !/^[\d.]+$/.test(domain.hostname) ? 'subdomain' : 'other-domain'
}
