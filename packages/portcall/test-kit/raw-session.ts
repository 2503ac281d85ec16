import { post, type RawConnection, type RawResponse, writeRequest } from './raw-connection.ts'

export const LEGACY_VERSION = '2025-11-25'

/** An open session: its id, and functions that return the bytes of its requests. */
export interface RawSession {
  readonly id: string
  readonly handshake: RawResponse
  post(message: unknown, headers?: Record<string, string | undefined>): string
  get(headers?: Record<string, string | undefined>): string
  delete(): string
}

/** Returns the bytes of an `initialize` request. */
export function handshake(version: string = LEGACY_VERSION, headers: Record<string, string | undefined> = {}): string {
  const params = { protocolVersion: version, capabilities: { elicitation: {} }, clientInfo: { name: 'test', version: '1' } }
  return post(JSON.stringify({ jsonrpc: '2.0', id: 'init', method: 'initialize', params }), headers)
}

/** Opens a session on a new connection. */
export async function openSession(
  connect: () => RawConnection,
  version: string = LEGACY_VERSION,
  headers: Record<string, string | undefined> = {},
): Promise<RawSession> {
  const connection = connect()
  const response = await connection.send(handshake(version, headers)).response()
  const id = response.headers['mcp-session-id'] ?? ''
  const sessionHeaders = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': version, ...headers }
  const session: RawSession = {
    id,
    handshake: response,
    post: (message, more) => post(JSON.stringify(message), { ...sessionHeaders, ...more }),
    get: (more) => writeRequest('GET', { Accept: 'text/event-stream', ...sessionHeaders, ...more }),
    delete: () => writeRequest('DELETE', sessionHeaders),
  }
  await connection.send(session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).response()
  return session
}

/** Returns a `tools/call` request. */
export function call(name: string, args: object = {}, id: string | number = 1): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, _meta: { progressToken: 't' } } }
}
