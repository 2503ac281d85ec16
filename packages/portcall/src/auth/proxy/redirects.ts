import { isStrictUrl } from '../../../../util/src/strict-url.ts'
import { isLoopbackUrl } from '../server/resource.ts'

const MAX_LENGTH = 512

/** Reports whether users may be redirected to a URL: https, or http on loopback, without anything that browsers parse differently. */
export function isRedirectUri(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > MAX_LENGTH || !isStrictUrl(text)) return false
  return new URL(text).protocol === 'https:' || isLoopbackUrl(text)
}

/** Reports whether a redirect URI is registered: the same text, except that the port of a loopback URI may differ (RFC 8252). */
export function isRegisteredRedirectUri(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true
  return isRedirectUri(uri) && isLoopbackUrl(uri) && registered.some((one) => isLoopbackUrl(one) && isSameExceptPort(one, uri))
}

function isSameExceptPort(registered: string, uri: string): boolean {
  const port = /^(http:\/\/(?:\[[^\]]*\]|[^/:?]*))(?::\d+)?/
  return uri.replace(port, '$1') === registered.replace(port, '$1')
}
