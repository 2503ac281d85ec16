import type { HttpInfo } from '../../jsonrpc/exchange.ts'

export type SameSite = 'Strict' | 'Lax'

/** Returns a `Set-Cookie` value for a cookie of this host only, which scripts cannot read. */
export function writeCookie(name: string, value: string, { sameSite, maxAgeS }: { sameSite: SameSite; maxAgeS: number }): string {
  return `__Host-${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeS}`
}

/** Reads a cookie written by `writeCookie`. Returns `undefined` if it is missing or sent more than once. */
export function readCookie(request: HttpInfo, name: string): string | undefined {
  const start = `__Host-${name}=`
  const matches = (request.header('cookie') ?? '').split(/; */).filter((pair) => pair.startsWith(start))
  return matches.length === 1 ? matches[0]?.slice(start.length) : undefined
}
