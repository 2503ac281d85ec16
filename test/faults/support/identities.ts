import { authorizationServer } from 'portcall/testing'
import { type HttpServer, startHttp } from './http.ts'
import { type Counts, textOf } from './messages.ts'
import type { ProcessOptions } from './process.ts'

/** A server that authenticates its callers, and the credentials of the callers. */
export interface Identity {
  readonly server: HttpServer
  /** Returns the headers of a caller. */
  fields(user: string): Promise<Readonly<Record<string, string>>>
  counts(): Promise<Counts>
  close(): Promise<void>
}

async function byHeader(options: ProcessOptions): Promise<Identity> {
  const server = await startHttp({ ...options, users: true })
  return {
    server,
    fields: async (user) => ({ 'x-user': user }),
    counts: server.counts,
    close: async () => server.kill(),
  }
}

async function byToken(options: ProcessOptions): Promise<Identity> {
  const login = await authorizationServer()
  const server = await startHttp({ ...options, protection: { issuer: login.issuer } })
  const resources = [`http://127.0.0.1:${server.port}/mcp`]
  const fields = async (subject: string): Promise<Record<string, string>> => ({
    authorization: `Bearer ${await login.issue({ subject, resources })}`,
  })
  const watcher = await fields('watcher')
  return {
    server,
    fields,
    counts: async () => JSON.parse(textOf((await server.call('counts', {}, watcher)).json) ?? '') as Counts,
    async close() {
      server.kill()
      await login.close()
    },
  }
}

/** The kinds of authentication. */
export const IDENTITIES: ReadonlyArray<readonly [name: string, open: (options: ProcessOptions) => Promise<Identity>]> = [
  ['a header', byHeader],
  ['a token', byToken],
]
