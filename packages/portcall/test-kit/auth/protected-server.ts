import { onTestFinished } from 'vitest'
import { httpHandler } from '../../src/serve/http.ts'
import { serve } from '../../src/serve/node.ts'
import { createServer } from '../../src/server/server.ts'
import type { Server } from '../../src/server/types.ts'
import { authorizationServer, type TestAuthorizationServer } from '../../src/testing/oauth/authorization-server.ts'
import type { AuthorizationServerOptions } from '../../src/testing/oauth/options.ts'
import type { HttpOptions } from '../../src/transports/http/server/options.ts'

export const RESOURCE = 'https://api.example.com/mcp'

/** Sends a request to a path of the server. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>

/** The HTTP handlers that serve a server until the test ends. */
export const HANDLERS: Readonly<Record<'node' | 'fetch', (server: Server, options: HttpOptions) => Promise<Send>>> = {
  async node(server, options) {
    const { url, close } = await serve(server, { ...options, port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
    onTestFinished(close)
    return (path, init) => fetch(new URL(path, url), { redirect: 'manual', ...init })
  },
  async fetch(server, options) {
    const handler = httpHandler(server, options)
    onTestFinished(() => handler.close(0))
    return (path, init) => handler(new Request(new URL(path, 'http://localhost:3000'), init))
  },
}

/** Starts an authorization server until the test ends. */
export async function startIssuer(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const server = await authorizationServer(options)
  onTestFinished(() => server.close())
  return server
}

/** Creates a server whose tools return the caller, or need scopes. */
export function createNotesServer(): Server {
  const server = createServer({ name: 'notes', version: '1.0.0' })
  server.tool('whoami', {}, (_, call) => JSON.stringify(call.auth ?? null))
  server.tool('write', { scopes: ['notes:write'] }, () => 'written')
  server.tool('erase', { scopes: ['notes:write', 'notes:erase'] }, () => 'erased')
  return server
}

const MODERN = '2026-07-28'

/** Calls a tool as a client of each era. */
export const ERAS: Readonly<
  Record<'modern' | 'legacy', (send: Send, name: string, headers: Record<string, string>) => Promise<Response>>
> = {
  modern: (send, name, headers) =>
    send(
      '/mcp',
      post(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta: meta() } },
        {
          'mcp-protocol-version': MODERN,
          'mcp-method': 'tools/call',
          'mcp-name': name,
          ...headers,
        },
      ),
    ),
  async legacy(send, name, headers) {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
    const initialized = await send('/mcp', post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers))
    const id = initialized.headers.get('mcp-session-id')
    if (id === null) return initialized
    return send(
      '/mcp',
      post(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } },
        {
          'mcp-session-id': id,
          'mcp-protocol-version': '2025-11-25',
          ...headers,
        },
      ),
    )
  },
}

function meta(): object {
  return { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} }
}

function post(body: object, headers: Record<string, string>): RequestInit {
  const defaults = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  return { method: 'POST', headers: { ...defaults, ...headers }, body: JSON.stringify(body) }
}

/** Calls `whoami` and returns the caller as the tool received it. Throws for any status but 200. */
export async function whoami(send: Send, authorization: string): Promise<Record<string, any>> {
  const response = await ERAS.modern(send, 'whoami', { authorization })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return JSON.parse((await response.json()).result.content[0].text)
}
