import { Agent, request } from 'node:http'
import { connect } from 'node:net'

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Opens sessions without ending them, each with one call whose events are recorded. */
export async function abandonSessions(url: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const post = (message: object, headers: object = {}): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', agent, headers: { ...HEADERS, ...headers } }, (response) => {
        response.resume().on('end', () => resolve(response.headers['mcp-session-id'] as string | undefined))
      })
      sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', ...message }))
    })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'abandoned', version: '1' } }
  const args = { mark: 'm', count: 1, ms: 0 }
  let remaining = count
  const openSessions = async (): Promise<void> => {
    while (remaining-- > 0) {
      const id = await post({ id: 0, method: 'initialize', params })
      if (!id) throw new Error('No session was opened')
      const call = { name: 'steps', arguments: args, _meta: { progressToken: 1 } }
      await post({ id: 1, method: 'tools/call', params: call }, { 'mcp-session-id': id })
    }
  }
  await Promise.all(Array.from({ length: 32 }, openSessions))
  agent.destroy()
}

const META = 'io.modelcontextprotocol/'

/** Makes sequential modern calls on each connection. All responses have the same length, so it is enough to count bytes. */
export async function callModern(url: string, count: number, connections = 32): Promise<void> {
  const { host, hostname, port, pathname } = new URL(url)
  const meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'add', arguments: { a: 1, b: 2 }, _meta: meta },
  })
  const head = Object.entries({
    ...HEADERS,
    host,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'add',
    'content-length': body.length,
  })
  const bytes = `POST ${pathname} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
  let remaining = count
  const runConnection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let size = 0
      let received = 0
      const socket = connect(Number(port), hostname)
      const next = (): void => {
        if (remaining-- > 0) socket.write(bytes)
        else socket.end(() => resolve())
      }
      socket.on('connect', next).on('error', reject)
      socket.on('data', (chunk) => {
        if (size === 0) size = sizeOf(chunk.toString())
        received += chunk.length
        if (received % size === 0) next()
      })
    })
  await Promise.all(Array.from({ length: connections }, runConnection))
}

/** Returns the length of a response that arrived in one chunk. */
function sizeOf(text: string): number {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  if (!head.startsWith('HTTP/1.1 200') || !body.includes('"text":"3"')) throw new Error(`Unexpected response: ${text}`)
  return text.length
}
