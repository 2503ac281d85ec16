/** The names of this machine in URLs and in the header `Host`. */
export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Reports whether the host of a URL is this machine, as far as its text reveals that. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/** Reports whether a server that listens on a host can be reached from this machine only. */
export function isLoopbackListener(host: string): boolean {
  return host === '127.0.0.1' || host === '::1' || host === 'localhost'
}
