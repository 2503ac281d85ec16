const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Reports whether the host of a URL is this machine, as far as its text reveals that. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}
