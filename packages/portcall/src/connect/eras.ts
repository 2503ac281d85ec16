import { enterNewest } from '../jsonrpc/newest.ts'

/** How servers turned out to speak, for as long as this process lives: a server that is known is not tried out again. */
export type Era = 'modern' | 'legacy' | 'http+sse'

const MAX_KNOWN = 1000
const known = new Map<string, Era>()

/** The era of a server, as it was the last time. */
export function knownEra(server: string): Era | undefined {
  return known.get(server)
}

export function rememberEra(server: string, era: Era): void {
  enterNewest(known, [server, era], MAX_KNOWN)
}

export function forgetEra(server: string): void {
  known.delete(server)
}

/** Every server is as if it had never been reached. */
export function forgetEras(): void {
  known.clear()
}
