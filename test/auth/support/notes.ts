import { createServer, type Server } from 'portcall'
import { type ProtectOptions, protect, type TokenAuth } from 'portcall/auth/server'
import { type ListeningServer, serve } from 'portcall/node'
import { freePort } from '../../support/free-port.mjs'

/** The scopes of the server. */
export const SCOPES = ['notes:read', 'notes:write']

/** Returns a free port and the URL of a server on it. */
export async function reserveUrl(): Promise<{ readonly url: string; readonly port: number }> {
  const port = await freePort()
  return { url: `http://127.0.0.1:${port}/mcp`, port }
}

/** Creates a server with a tool that returns the caller, and a tool that needs a scope. */
export function createNotes(): Server {
  const server = createServer({ name: 'notes', version: '1.0.0' })
  server.tool('whoami', {}, (_, { auth }) => {
    const { principal, subject, clientId, scopes } = auth as TokenAuth
    return JSON.stringify({ principal, subject, clientId, scopes })
  })
  server.tool('write', { scopes: ['notes:write'] }, () => 'written')
  return server
}

/** Serves it, or another server, with `protect`. */
export async function serveNotes(
  port: number,
  options: Omit<ProtectOptions, 'resource'>,
  server: Server = createNotes(),
): Promise<ListeningServer> {
  const resource = `http://127.0.0.1:${port}/mcp`
  return serve(server, { port, ...protect({ resource, scopes: ['notes:read'], scopesSupported: SCOPES, ...options }) })
}
