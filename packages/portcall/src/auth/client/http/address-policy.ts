/**
 * Decides which addresses authorization may use. An MCP server names its authorization server, which in turn names its endpoints. Without a
 * policy, any server could make its clients send requests into their own network (server-side request forgery).
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices#server-side-request-forgery-ssrf
 */

import ipaddr from 'ipaddr.js'
import { parseUrl } from '../../../../../util/src/parse-url.ts'
import { AuthError } from '../errors.ts'

/** Allows servers to refer to all loopback and private addresses, including the metadata services of cloud providers. */
export const insecurePrivateAddresses: unique symbol = Symbol('insecurePrivateAddresses')

/** Allows tokens and secrets to be sent over unencrypted HTTP, where everybody on the network path can read and change them. */
export const insecureHttp: unique symbol = Symbol('insecureHttp')

/** A host name that may have a private address, or a symbol that lifts a rule for all addresses. */
export type AllowedAddress = string | typeof insecurePrivateAddresses | typeof insecureHttp

/** The addresses that requests about authorization may reach. */
export interface AddressPolicyOptions {
  /**
   * The URL that the user configured. Its origin is always allowed. If it is on this machine, so are all addresses of this machine.
   * Default: none, for URLs that anyone may name.
   */
  readonly trustedUrl?: URL | undefined
  /** Exemptions from the policy. Default: none. */
  readonly allow?: readonly AllowedAddress[]
}

/** The rules for the addresses that one server names. */
export interface AddressPolicy {
  /** Parses a URL and checks everything that its text reveals. @throws AuthError `address_refused` */
  check(url: string | URL): URL
  /** Returns an error if the host of a checked URL must not resolve to the IP address. */
  resolutionError(url: URL, address: string): AuthError | undefined
  /**
   * Checks a URL that a server wants to be opened in the browser, where some schemes start programs. The URL has to pass `check` and must
   * not contain characters with a meaning in a shell.
   * https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices#open-redirection
   *
   * @throws AuthError `address_refused`
   */
  checkBrowserUrl(url: string | URL): URL
}

/** Characters that no URL needs and that a shell could interpret while it starts the browser. */
const SHELL_CHARACTERS = /[\s"$'();<>\\^`{|}]/

/** Creates a policy that requires https except on this machine, and forbids credentials in URLs and addresses of private networks. */
export function createAddressPolicy({ trustedUrl, allow = [] }: AddressPolicyOptions): AddressPolicy {
  const isLocal = trustedUrl !== undefined && classifyHost(trustedUrl.hostname) === 'loopback'
  const who = trustedUrl ? trustedUrl.origin : 'others'
  const isTrusted = (url: URL): boolean =>
    url.origin === trustedUrl?.origin || allow.includes(insecurePrivateAddresses) || allow.includes(url.hostname)
  const isAllowed = (url: URL, scope: AddressScope): boolean =>
    scope === 'public' || isTrusted(url) || (scope === 'loopback' && isLocal)
  const allowsHttp = (scope: AddressScope): boolean => scope === 'loopback' || allow.includes(insecureHttp)

  const check: AddressPolicy['check'] = (input) => {
    const url = absoluteUrl(input)
    const scope = classifyHost(url.hostname)
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsHttp(scope)))
      throw addressRefused(`${display(url)} does not use https`)
    if (url.username || url.password) throw addressRefused(`A URL at ${url.host} contains a user name or a password`)
    if (!isAllowed(url, scope)) throw addressRefused(`${display(url)} is a ${scope} address, which ${who} must not refer to`)
    return url
  }

  return {
    check,
    resolutionError(url, address) {
      const scope = classifyAddress(address) ?? 'private'
      if (isAllowed(url, scope) && (url.protocol === 'https:' || allowsHttp(scope))) return undefined
      return addressRefused(`${display(url)} resolves to the ${scope} address ${address}, which ${who} must not refer to`)
    },
    checkBrowserUrl(input) {
      const url = check(input)
      if (SHELL_CHARACTERS.test(`${url.pathname}${url.search}${url.hash}`))
        throw addressRefused(`${url.origin} wants a URL opened that contains shell characters`)
      return url
    },
  }
}

/** Creates the error for an address that the policy forbids. */
export function addressRefused(message: string): AuthError {
  return new AuthError('address_refused', message)
}

function absoluteUrl(input: string | URL): URL {
  const url = parseUrl(input)
  if (!url) throw addressRefused('Expected an absolute URL')
  return url
}

/** Returns the part of a URL that is safe to display: no query, which may hold secrets, and no terminal control characters. */
function display(url: URL): string {
  return url.host ? `${url.protocol}//${url.host}` : url.protocol
}

/** Where an address is: on the internet, on this machine, or in a private or reserved network. */
export type AddressScope = 'public' | 'loopback' | 'private'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** IPv6 prefixes that embed an IPv4 address, and the offset of its first byte. */
const EMBEDDED_IPV4: readonly (readonly [prefix: string, bits: number, offset: number])[] = [
  ['::ffff:0:0', 96, 12],
  ['::ffff:0:0:0', 96, 12],
  ['64:ff9b::', 96, 12],
  ['2002::', 16, 2],
]
/** The only IPv6 block that is allocated to networks of the internet. */
const GLOBAL_UNICAST: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
/** Addresses with a public number that the host of a virtual machine answers (Azure). */
const METADATA_SERVICES: readonly string[] = ['168.63.129.16']
/** Names that only private networks resolve (RFC 6762, RFC 8375, and `internal` by a resolution of ICANN). */
const PRIVATE_NAME = /(^|\.)(local|internal|intranet|lan|home\.arpa)$/
const LOOPBACK_NAME = /(^|\.)localhost$/

/**
 * Returns the scope of an IP address as written in a URL or by a resolver, or `undefined` for other text. Reserved and unallocated addresses
 * are private. The ranges are those of the special-purpose address registries (RFC 6890). An IPv6 address that embeds an IPv4 address has
 * the scope of the latter, because routers translate it back.
 */
export function classifyAddress(address: string): AddressScope | undefined {
  const [bare = ''] = address.replace(/^\[|\]$/g, '').split('%', 1)
  if (!ipaddr.isValid(bare)) return undefined
  const inner = unwrapIpv4(ipaddr.parse(bare))
  const range = inner.range()
  if (range === 'loopback') return 'loopback'
  if (range !== 'unicast' || METADATA_SERVICES.includes(inner.toString())) return 'private'
  return inner instanceof ipaddr.IPv4 || inner.match([...GLOBAL_UNICAST]) ? 'public' : 'private'
}

/** Returns the scope of a URL's host as far as its name reveals it. A public name may still resolve to any address. */
export function classifyHost(hostname: string): AddressScope {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  const scope = classifyAddress(name)
  if (scope) return scope
  if (LOOPBACK_NAME.test(name)) return 'loopback'
  return PRIVATE_NAME.test(name) || !name.includes('.') ? 'private' : 'public'
}

function unwrapIpv4(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address
  const embedding = EMBEDDED_IPV4.find(([prefix, bits]) => address.match(ipaddr.IPv6.parse(prefix), bits))
  if (!embedding) return address
  const [, , offset] = embedding
  return new ipaddr.IPv4(address.toByteArray().slice(offset, offset + 4))
}
