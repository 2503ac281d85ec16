import type { ServerLike } from './types.ts'

/** Checks the argument of a function that serves a server, since JavaScript passes anything. @throws TypeError. */
export function assertServer(server: ServerLike, functionName: string): void {
  const value = server as ServerLike | null | undefined
  if (typeof value?.exchange === 'function') return
  const kind = value?.constructor?.name ?? String(value)
  throw new TypeError(`${functionName}() needs the server that createServer() returned, not ${kind}`)
}
