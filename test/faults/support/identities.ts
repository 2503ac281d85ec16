import { type HttpServer, startHttp } from './http.ts'
import type { Counts } from './messages.ts'

/** A server that knows its callers, and how they show who they are. */
export interface Identity {
  readonly server: HttpServer
  /** The headers of a caller. */
  fields(user: string): Promise<Readonly<Record<string, string>>>
  counts(): Promise<Counts>
  close(): Promise<void>
}

async function byHeader(): Promise<Identity> {
  const server = await startHttp({ users: true })
  return {
    server,
    fields: async (user) => ({ 'x-user': user }),
    counts: server.counts,
    close: async () => server.kill(),
  }
}

/** The ways to be known. */
export const IDENTITIES: ReadonlyArray<readonly [name: string, open: () => Promise<Identity>]> = [['a header', byHeader]]
