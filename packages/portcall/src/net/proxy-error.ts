import { PortcallError } from '../util/errors.ts'

/** Thrown when a request has to go through a proxy, and the proxy cannot be used. Its message does not contain the password of the proxy. */
export class ProxyError extends PortcallError {
  override readonly name = 'ProxyError'
  readonly code = 'PROXY_FAILED'
}

/** Returns the URL of a proxy without its user name and password. */
export function displayProxy({ protocol, host }: URL): string {
  return `${protocol}//${host}`
}
