/** Returns the host that limits on requests to a URL count: all ports are one host, with or without the final dot of a full name. */
export function limitedHost(url: string): string {
  return new URL(url).hostname.replace(/\.$/, '')
}
