/** Returns a URI as it is, without escapes, and each of them without dot segments. */
export function spellingsOf(uri: string): readonly string[] {
  const decoded = [uri]
  for (let text = unescapeUri(uri), last = uri; text !== last && decoded.length < 4; last = text, text = unescapeUri(text))
    decoded.push(text)
  return [...new Set(decoded.flatMap((text) => [text, normalizeUri(text), unescapeUri(normalizeUri(text))]))]
}

function unescapeUri(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}

function normalizeUri(uri: string): string {
  try {
    return new URL(uri.replaceAll('\\', '/')).href
  } catch {
    return uri
  }
}
