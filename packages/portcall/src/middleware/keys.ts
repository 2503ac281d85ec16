import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'

/** Options of `byAddress`. */
export interface AddressKeyOptions {
  /**
   * The number of reverse proxies in front of the server that append to `X-Forwarded-For`. Set it exactly: with a number that is too high, clients
   * choose their address. Default: 0, which ignores the header.
   */
  readonly trustedProxies?: number
}

const NAMES: OptionNames<AddressKeyOptions> = { trustedProxies: 1 }

/**
 * Creates a `key` that counts the requests of each network address together: `rateLimit({ limit: 600, key: byAddress() })`. The addresses of an
 * IPv6 network with a prefix of 64 bits count as one, because one client can use all of them. Requests over other transports than HTTP are exempt.
 *
 * @throws RangeError if `trustedProxies` is not a natural number.
 */
export function byAddress(options: AddressKeyOptions = {}): (request: Request, context: ExchangeContext) => string | undefined {
  checkOptions('byAddress()', options, { names: NAMES })
  const { trustedProxies = 0 } = options
  if (!Number.isInteger(trustedProxies) || trustedProxies < 0)
    throw new RangeError('byAddress: trustedProxies must be a natural number')
  return (_request, { http }) => {
    if (!http) return undefined
    const address = clientAddress(http.remoteAddress, http.header('x-forwarded-for'), trustedProxies)
    return `address:${address === undefined ? 'unknown' : networkOf(address)}`
  }
}

/** Returns the address that the outermost trusted proxy saw. */
function clientAddress(remoteAddress: string | undefined, forwarded: string | undefined, proxies: number): string | undefined {
  if (proxies === 0 || forwarded === undefined) return remoteAddress
  const addresses = forwarded.split(',').map((address) => address.trim())
  return addresses.at(-Math.min(proxies, addresses.length)) || remoteAddress
}

const IPV4_IN_IPV6 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const IPV6_GROUPS = 8
const NETWORK_GROUPS = 4

/** Returns an IPv4 address, or the first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  const [, embedded] = IPV4_IN_IPV6.exec(address) ?? []
  if (embedded) return embedded
  if (!address.includes(':')) return address
  const [head = '', tail] = address.toLowerCase().split('%', 1).join('').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, IPV6_GROUPS - before.length - after.length)
  const groups = [...before, ...new Array<string>(missing).fill('0'), ...after]
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
