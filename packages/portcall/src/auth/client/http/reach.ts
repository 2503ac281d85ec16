/**
 * Which addresses authorization may lead to. A server says where its authorization server is, and that one says where its endpoints are:
 * without a rule, any server could make its clients knock at doors inside of their own network (server-side request forgery).
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices#server-side-request-forgery-ssrf
 */
import { AuthError } from '../errors.ts'
import { type Whereabouts, whereAddress, whereHost } from './address.ts'

/** Lets servers lead to any address of this machine and of the networks around it, metadata services of clouds among them. */
export const insecurePrivateAddresses: unique symbol = Symbol('insecurePrivateAddresses')

/** Lets tokens and secrets travel where everybody on the way can read them, and change where they go. */
export const insecureHttp: unique symbol = Symbol('insecureHttp')

/** The name of a host that may be at a private address, or a symbol that lifts a rule for all. */
export type Allowance = string | typeof insecurePrivateAddresses | typeof insecureHttp

/** On whose word addresses are reached. */
export interface ReachOptions {
  /** The address that the user gave. Its own origin is always reached; when it is on this machine, everything on this machine is. */
  readonly given: URL
  /** What may be reached besides public addresses. */
  readonly allow?: readonly Allowance[]
}

/** The rules for one server. */
export interface Reach {
  /** Reads an address and checks all that its text shows. @throws AuthError `address_refused` */
  check(url: string | URL): URL
  /** Says why the host of a checked URL must not have resolved to an address, or nothing. */
  refusal(url: URL, address: string): AuthError | undefined
}

/** Makes the rules: https, but on this machine; no name and password; no address that the server has no business with. */
export function createReach({ given, allow = [] }: ReachOptions): Reach {
  const isLocal = whereHost(given.hostname) === 'loopback'
  const isTrusted = (url: URL): boolean =>
    url.origin === given.origin || allow.includes(insecurePrivateAddresses) || allow.includes(url.hostname)
  const mayReach = (url: URL, where: Whereabouts): boolean =>
    where === 'public' || isTrusted(url) || (where === 'loopback' && isLocal)
  const mayBePlain = (where: Whereabouts): boolean => where === 'loopback' || allow.includes(insecureHttp)

  return {
    check(text) {
      const url = readUrl(text)
      const where = whereHost(url.hostname)
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && mayBePlain(where)))
        throw refused(`${shown(url)} is not https`)
      if (url.username || url.password) throw refused(`An address at ${url.host} holds a name or a password`)
      if (!mayReach(url, where)) throw refused(`${shown(url)} is a ${where} address, where ${given.origin} must not lead`)
      return url
    },
    refusal(url, address) {
      const where = whereAddress(address) ?? 'private'
      if (mayReach(url, where) && (url.protocol === 'https:' || mayBePlain(where))) return undefined
      return refused(`${shown(url)} leads to the ${where} address ${address}, where ${given.origin} must not lead`)
    },
  }
}

/** Makes the error for an address that must not be reached. */
export function refused(message: string): AuthError {
  return new AuthError('address_refused', message)
}

function readUrl(text: string | URL): URL {
  try {
    return new URL(text)
  } catch {
    throw refused('What should be an absolute address is none')
  }
}

/** What may be shown of an address: neither its query, which may hold secrets, nor what only a terminal would understand. */
function shown(url: URL): string {
  return url.host ? `${url.protocol}//${url.host}` : url.protocol
}
