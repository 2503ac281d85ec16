import { type Reach, refused } from './reach.ts'

/** What no address needs, and what could mean something to a shell on the way to the browser. */
const SHELL = /[\s"$'();<>\\^`{|}]/

/**
 * Checks an address that a server wants opened in the browser, whose schemes can start programs: it has to be one that could be fetched too,
 * so https, or http on this machine when the server is there.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices#open-redirection
 *
 * @throws AuthError `address_refused`
 */
export function openable(reach: Reach, text: string | URL): URL {
  const url = reach.check(text)
  const rest = `${url.pathname}${url.search}${url.hash}`
  if (SHELL.test(rest)) throw refused(`What ${url.origin} wants opened holds characters that only a shell needs`)
  return url
}
