const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
const MAX_LENGTH = 512

/** Tells whether users may be sent to an address: https, or this machine, and nothing that a browser reads in another way. */
export function isRedirectUri(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > MAX_LENGTH || !URL.canParse(text) || /[#\s\\]/.test(text)) return false
  const url = new URL(text)
  if (url.username || url.password) return false
  return url.protocol === 'https:' || isLoopback(text)
}

/** Tells whether an address is on the machine of the user. */
export function isLoopback(text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && LOOPBACK.test(hostname)
}

/** Tells whether an address is one of those that were registered: the very same text, but for the port on the user's machine (RFC 8252). */
export function isRegistered(asked: string, registered: readonly string[]): boolean {
  if (registered.includes(asked)) return true
  return isRedirectUri(asked) && isLoopback(asked) && registered.some((one) => isLoopback(one) && isSameButPort(one, asked))
}

function isSameButPort(registered: string, asked: string): boolean {
  const port = /^(http:\/\/(?:\[[^\]]*\]|[^/:?]*))(?::\d+)?/
  return asked.replace(port, '$1') === registered.replace(port, '$1')
}
