import { parseUrl } from '../../../util/src/parse-url.ts'

const SOURCE = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::(?:\d{1,5}|\*))?$/i

/**
 * Reports whether a text names an origin that the CSP of a view may contain: `https://api.example.com`, `wss://live.example.com:8443`, or
 * `https://*.example.com`. Nothing else may become a part of a policy: no path, keyword, quote, `*` alone, or other scheme.
 */
export function isCspSource(source: unknown): source is string {
  return typeof source === 'string' && source.length <= 300 && SOURCE.test(source)
}

/** Returns what to write instead of a text that is no origin. */
export function cspSourceHint(source: unknown): string {
  const { protocol, hostname, host, pathname } = (typeof source === 'string' && parseUrl(source)) || {}
  if (hostname?.startsWith('[')) return 'A CSP cannot name IPv6 addresses. Use the name of the host'
  const isReadable = host !== undefined && isCspSource(`${protocol}//${host}`)
  if (isReadable && pathname === '/') return `Use ${protocol}//${host}`
  if (isReadable) return `Use an origin without a path: ${protocol}//${host}`
  return 'Use a scheme and a host without a path, such as https://api.example.com or https://*.example.com'
}
