/**
 * Where an address leads. Ranges come from the registries of special addresses (RFC 6890, kept by `ipaddr.js`); an IPv6 address that
 * carries an IPv4 one leads to where that one does, because something on the way takes it out again.
 */
import ipaddr from 'ipaddr.js'

/** Whom an address reaches: everybody's internet, this machine, or what is near it and not meant for strangers. */
export type Whereabouts = 'public' | 'loopback' | 'private'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** IPv6 prefixes that carry an IPv4 address, and the byte where it begins. */
const CARRIERS: readonly (readonly [prefix: string, bits: number, at: number])[] = [
  ['::ffff:0:0', 96, 12],
  ['::ffff:0:0:0', 96, 12],
  ['64:ff9b::', 96, 12],
  ['2002::', 16, 2],
]
/** All of IPv6 that was ever given to networks of the internet. */
const GLOBAL_UNICAST: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
/** Public by its number, but answered by the host of a virtual machine (Azure). */
const METADATA_SERVICES: readonly string[] = ['168.63.129.16']
/** Names that only private networks resolve (RFC 6762, RFC 8375, and `internal` by a resolution of ICANN). */
const PRIVATE_NAME = /(^|\.)(local|internal|intranet|lan|home\.arpa)$/
const LOOPBACK_NAME = /(^|\.)localhost$/

/**
 * Tells where an IP address leads, in the spelling of a URL or of a resolver; `undefined` when it is none. What is reserved, and what nobody
 * has said anything about, is private.
 */
export function whereAddress(address: string): Whereabouts | undefined {
  const [bare = ''] = address.replace(/^\[|\]$/g, '').split('%', 1)
  if (!ipaddr.isValid(bare)) return undefined
  const inner = carried(ipaddr.parse(bare))
  const range = inner.range()
  if (range === 'loopback') return 'loopback'
  if (range !== 'unicast' || METADATA_SERVICES.includes(inner.toString())) return 'private'
  return inner instanceof ipaddr.IPv4 || inner.match([...GLOBAL_UNICAST]) ? 'public' : 'private'
}

/** Tells where the host of a URL leads as far as its name says; a name of the internet may still resolve to any address. */
export function whereHost(hostname: string): Whereabouts {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  const known = whereAddress(name)
  if (known) return known
  if (LOOPBACK_NAME.test(name)) return 'loopback'
  return PRIVATE_NAME.test(name) || !name.includes('.') ? 'private' : 'public'
}

function carried(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address
  const carrier = CARRIERS.find(([prefix, bits]) => address.match(ipaddr.IPv6.parse(prefix), bits))
  if (!carrier) return address
  const [, , at] = carrier
  return new ipaddr.IPv4(address.toByteArray().slice(at, at + 4))
}
