/** How servers turned out to speak, for as long as this process lives: a server that is known is not tried out again. */
export type Era = 'modern' | 'legacy' | 'http+sse'

const MAX_KNOWN = 1000
const known = new Map<string, Era>()

/** The era of a server, as it was the last time. */
export function knownEra(server: string): Era | undefined {
  return known.get(server)
}

export function rememberEra(server: string, era: Era): void {
  known.delete(server)
  known.set(server, era)
  const [oldest] = known.keys()
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
}

export function forgetEra(server: string): void {
  known.delete(server)
}

/** Every server is as if it had never been reached. */
export function forgetEras(): void {
  known.clear()
}
