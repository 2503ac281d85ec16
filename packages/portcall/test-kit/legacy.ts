import { type Answer, post, type Raw, write } from './raw.ts'

export const LEGACY = '2025-11-25'

/** A session that is open: its id, and how to write requests of it. */
export interface LegacyClient {
  readonly id: string
  readonly handshake: Answer
  post(message: unknown, headers?: Record<string, string | undefined>): string
  get(headers?: Record<string, string | undefined>): string
  remove(): string
}

/** The bytes of a handshake. */
export function handshake(version: string = LEGACY, headers: Record<string, string | undefined> = {}): string {
  const params = { protocolVersion: version, capabilities: { elicitation: {} }, clientInfo: { name: 'test', version: '1' } }
  return post(JSON.stringify({ jsonrpc: '2.0', id: 'init', method: 'initialize', params }), headers)
}

/** Opens a session on a connection of its own. */
export async function openSession(
  connect: () => Raw,
  version: string = LEGACY,
  headers: Record<string, string | undefined> = {},
): Promise<LegacyClient> {
  const raw = connect()
  const answer = await raw.send(handshake(version, headers)).answer()
  const id = answer.headers['mcp-session-id'] ?? ''
  const own = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': version, ...headers }
  const client: LegacyClient = {
    id,
    handshake: answer,
    post: (message, more) => post(JSON.stringify(message), { ...own, ...more }),
    get: (more) => write('GET', { Accept: 'text/event-stream', ...own, ...more }),
    remove: () => write('DELETE', own),
  }
  await raw.send(client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).answer()
  return client
}

/** A `tools/call`. */
export function call(name: string, args: object = {}, id: string | number = 1): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, _meta: { progressToken: 't' } } }
}
