import type { HttpInfo } from '../../../jsonrpc/exchange.ts'

/** When a browser sends a cookie along. */
export type SameSite = 'Strict' | 'Lax'

/** Writes a cookie for this host alone, that no script can read. */
export function writeCookie(name: string, value: string, { sameSite, maxAgeS }: { sameSite: SameSite; maxAgeS: number }): string {
  return `__Host-${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeS}`
}

/** Reads a cookie that `writeCookie` has written. */
export function readCookie(request: HttpInfo, name: string): string | undefined {
  const start = `__Host-${name}=`
  const found = (request.header('cookie') ?? '').split(/; */).filter((pair) => pair.startsWith(start))
  return found.length === 1 ? found[0]?.slice(start.length) : undefined
}
