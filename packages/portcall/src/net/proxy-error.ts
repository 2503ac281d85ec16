import { PortcallError } from '../../../util/src/errors.ts'

/** Thrown when a request has to go through a proxy, and the proxy cannot be used. Its message does not contain the password of the proxy. */
export class ProxyError extends PortcallError {
  override readonly name = 'ProxyError'
  readonly code = 'PROXY_FAILED'
}

/** Returns the URL of a proxy without its user name and password. */
export function displayProxy({ protocol, host }: URL): string {
  return `${protocol}//${host}`
}

/** Returns where to connect to a proxy. Leaves the user name and the password out, which may be no valid percent-encoding. */
export function proxyAddress({ protocol, hostname, port }: URL): { protocol: string; hostname: string; port: string } {
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port }
}

/** Returns the error for a proxy that does not accept connections. */
export function unreachableProxy(proxy: URL, cause: Error & { code?: string }): ProxyError {
  return new ProxyError(`The proxy ${displayProxy(proxy)} could not be reached (${cause.code ?? cause.message})`, { cause })
}

/** Returns the error for a proxy that wants other credentials than those in its URL. */
export function refusedCredentials(proxy: URL): ProxyError {
  const reason =
    proxy.username === '' ? 'requires a user name and a password in its URL' : 'rejects the user name or the password in its URL'
  return new ProxyError(`The proxy ${displayProxy(proxy)} ${reason} (HTTP 407)`)
}
