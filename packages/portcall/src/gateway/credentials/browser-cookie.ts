import type { HttpInfo } from '../../jsonrpc/exchange.ts'

/** A cookie of the gateway that scripts cannot read. */
export interface BrowserCookie {
  /** Returns the value. `undefined` if it is missing or sent more than once. */
  read(request: HttpInfo): string | undefined
  /** Returns a `Set-Cookie` value. */
  write(value: string, maxAgeMs: number): string
}

/** Creates a cookie. Over https, it is for this host only and cannot be set by other hosts. Browsers send it when another site redirects here. */
export function createBrowserCookie(name: string, { protocol }: URL): BrowserCookie {
  const isSecure = protocol === 'https:'
  const start = `${isSecure ? '__Host-' : ''}${name}=`
  return {
    read(request) {
      const pairs = (request.header('cookie') ?? '').split(/; */).filter((pair) => pair.startsWith(start))
      return pairs.length === 1 ? pairs[0]?.slice(start.length) : undefined
    },
    write(value, maxAgeMs) {
      const attributes = `Path=/; ${isSecure ? 'Secure; ' : ''}HttpOnly; SameSite=Lax`
      return `${start}${value}; ${attributes}; Max-Age=${Math.floor(maxAgeMs / 1000)}`
    },
  }
}
