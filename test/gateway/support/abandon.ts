import { Agent, request } from 'node:http'

const VERSION = '2025-11-25'
/** Clients with different capabilities use different sessions of the server. */
const CAPABILITIES = [{}, { sampling: {} }, { roots: {} }, { sampling: {}, roots: {} }]
const CONNECTIONS = 16

interface PostOptions {
  readonly session?: string
  readonly agent?: Agent
  /** When the server asks for input, the response resolves: `cut` also destroys the socket, `keep` leaves it open. */
  readonly onAsked?: 'cut' | 'keep'
}

interface PostResponse {
  readonly status: number | undefined
  readonly session: string
  readonly text: string
}

/** Sends a message. */
export function post(url: string, message: object, { session, agent, onAsked }: PostOptions = {}): Promise<PostResponse> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': VERSION }),
    }
    const sent = request(url, { method: 'POST', headers, ...(agent && { agent }) }, (response) => {
      let text = ''
      const done = (): void =>
        resolve({ status: response.statusCode, session: String(response.headers['mcp-session-id'] ?? ''), text })
      response.on('data', (chunk) => {
        text += chunk
        if (!onAsked || !text.includes('elicitation/create')) return
        if (onAsked === 'cut') sent.destroy()
        done()
      })
      response.on('end', done).on('error', done)
    })
    sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', ...message }))
  })
}

/** Opens a session and lists the tools. Every second session also calls a tool that asks, and is left without an answer. */
async function abandon(url: string, nth: number, { agent, onAsked }: Required<Pick<PostOptions, 'agent' | 'onAsked'>>) {
  const capabilities = { elicitation: {}, ...CAPABILITIES[(nth >> 1) % CAPABILITIES.length] }
  const params = { protocolVersion: VERSION, capabilities, clientInfo: { name: 'abandoned', version: '1' } }
  const { session } = await post(url, { id: 0, method: 'initialize', params }, { agent })
  await post(url, { method: 'notifications/initialized' }, { session, agent })
  const { text } = await post(url, { id: 1, method: 'tools/list' }, { session, agent })
  if (!text.includes('remote__greet')) throw new Error(`The tools are not listed: ${text}`)
  if (nth % 2 === 1) {
    const call = { id: 2, method: 'tools/call', params: { name: 'remote__greet', arguments: { id: nth } } }
    const asked = await post(url, call, { session, onAsked })
    if (!asked.text.includes('First name')) throw new Error(`The server did not ask: ${asked.text}`)
  }
  return session
}

/** Abandons sessions. Returns their ids. With `keep`, the streams of their calls stay open. */
export async function abandonMany(url: string, count: number, onAsked: 'cut' | 'keep' = 'cut'): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const sessions: string[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) sessions.push(await abandon(url, next++, { agent, onAsked }))
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  if (onAsked === 'cut') agent.destroy()
  return sessions
}
