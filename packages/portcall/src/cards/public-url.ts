import { parseSecureUrl } from '../auth/server/resource.ts'

/** Reads the URL by which clients reach an endpoint. @throws TypeError for a URL that clients must not use. */
export function parsePublicUrl(text: string): URL {
  const url = parseSecureUrl('publicUrl', text)
  if (url.search) throw new TypeError(`publicUrl must not have a query: ${JSON.stringify(text)}`)
  return url
}
