import { onTestFinished } from 'vitest'
import { httpHandler } from '../../http.ts'
import { createServer, type Server } from '../../index.ts'
import { serve } from '../../node.ts'
import { type AuthorizationServerOptions, authorizationServer, type TestAuthorizationServer } from '../../testing.ts'
import type { HttpOptions } from '../../transports/http/options.ts'

export const RESOURCE = 'https://api.example.com/mcp'

/** Sends a request to a path of a served server. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>

/** The two fronts; each ends with the test. */
export const FRONTS: Readonly<Record<'node' | 'fetch', (server: Server, options: HttpOptions) => Promise<Send>>> = {
  async node(server, options) {
    const { url, close } = await serve(server, { ...options, port: 0, signals: false, drainMs: 0 })
    onTestFinished(close)
    return (path, init) => fetch(new URL(path, url), { redirect: 'manual', ...init })
  },
  async fetch(server, options) {
    const handler = httpHandler(server, options)
    onTestFinished(() => handler.close(0))
    return (path, init) => handler(new Request(new URL(path, 'http://localhost:3000'), init))
  },
}

/** An authorization server that ends with the test. */
export async function login(options: AuthorizationServerOptions = {}): Promise<TestAuthorizationServer> {
  const server = await authorizationServer(options)
  onTestFinished(() => server.close())
  return server
}

/** A server whose tools tell who calls, and demand scopes. */
export function notes(): Server {
  const server = createServer({ name: 'notes', version: '1.0.0' })
  server.tool('whoami', {}, (_, call) => JSON.stringify(call.auth ?? null))
  server.tool('write', { scopes: ['notes:write'] }, () => 'written')
  server.tool('erase', { scopes: ['notes:write', 'notes:erase'] }, () => 'erased')
  return server
}

const MODERN = '2026-07-28'

/** How a client of each era calls a tool. */
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
    const opened = await send('/mcp', post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers))
    const id = opened.headers.get('mcp-session-id')
    if (id === null) return opened
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
  const own = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  return { method: 'POST', headers: { ...own, ...headers }, body: JSON.stringify(body) }
}

/** Calls `whoami` and gives what it was told about the caller; fails for anything but an answer. */
export async function whoami(send: Send, authorization: string): Promise<Record<string, any>> {
  const response = await ERAS.modern(send, 'whoami', { authorization })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return JSON.parse((await response.json()).result.content[0].text)
}
