import { isLoopbackHost } from '../../../../../util/src/loopback-host.ts'
import { parseUrl } from '../../../../../util/src/parse-url.ts'
import { isCspSource } from '../../../protocol/csp-source.ts'

/** Returns the origin of an address of another machine, or of this one. Returns `undefined` for any other address. */
export function urlIn(address: string): URL | undefined {
  const url = /^(?:https?|wss?):\/\//i.test(address) ? parseUrl(address) : undefined
  return /^\/\/[a-z0-9]/i.test(address) ? parseUrl(`https:${address}`) : url
}

/** Reports whether an address is that of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return isLoopbackHost(hostname) || hostname === '0.0.0.0' || hostname.endsWith('.localhost')
}

/** The schemes that a source covers besides its own. https://www.w3.org/TR/CSP3/#match-schemes */
const ALSO_COVERED: { readonly [scheme: string]: readonly string[] } = {
  'http:': ['https:'],
  'ws:': ['wss:', 'http:', 'https:'],
  'wss:': ['https:'],
}

/** Reports whether a source of a policy covers an origin. https://www.w3.org/TR/CSP3/#match-url-to-source-expression */
export function coversOrigin(source: string, { protocol, hostname, port }: URL): boolean {
  if (!isCspSource(source)) return false
  const [, scheme = '', wildcard, host = '', portPart] =
    /^([a-z]+:)\/\/(\*\.)?([^:]*)(?::(.*))?$/i.exec(source.toLowerCase()) ?? []
  if (scheme !== protocol && !ALSO_COVERED[scheme]?.includes(protocol)) return false
  if (wildcard === undefined ? hostname !== host : !hostname.endsWith(`.${host}`)) return false
  if (portPart === '*') return true
  const isDefault = portPart === undefined || parseUrl(`${protocol}//x:${portPart}`)?.port === ''
  return isDefault ? port === '' : port === portPart
}

/** Why a text cannot be a source of a policy, or `undefined` if it can. */
export function faultOfSource(source: unknown): string | undefined {
  if (typeof source !== 'string') return 'is no text'
  if (source.includes('*') && !/^[a-z]+:\/\/\*\./i.test(source)) return 'has a wildcard that is not the first label of a host'
  const isPathEmpty = source.endsWith('/')
  if (!isCspSource(isPathEmpty ? source.slice(0, -1) : source)) {
    if (/^[a-z0-9.-]+\.[a-z]{2,}(?::\d+)?(?:\/|$)/i.test(source)) return 'has no scheme such as https://'
    return parseUrl(source) && /^(?:https?|wss?):/i.test(source) ? 'has a path' : 'is no origin'
  }
  if (isPathEmpty) return 'has a path'
  const url = parseUrl(source.replace('*.', ''))
  return url && isLoopback(url) ? 'is the machine of the user, not the one of the server' : undefined
}
