import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const MODERN = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Calls a tool as a modern client, on a connection of its own. Resolves to the text of the result. */
export function callOnce(url: string, name: string, args: object = {}): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false, headers }, async (response) => {
      try {
        let body = ''
        for await (const chunk of response) body += chunk
        resolve(JSON.parse(body).result.content[0].text)
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta: META } }))
  })
}

/** One call of a steady load. */
export interface SteadyCall {
  readonly startedAt: number
  /** Undefined if the call returned the right result. */
  readonly failure: string | undefined
}

/** Calls `add` at a fixed rate until the signal is aborted, whether or not earlier calls have ended. Resolves when all have ended. */
export async function callSteadily(url: string, everyMs: number, signal: AbortSignal): Promise<SteadyCall[]> {
  const calls: Promise<SteadyCall>[] = []
  const start = performance.now()
  while (!signal.aborted) {
    const startedAt = performance.now()
    const a = calls.length
    calls.push(
      callOnce(url, 'add', { a, b: 1 }).then(
        (text) => ({ startedAt, failure: text === `${a + 1}` ? undefined : text }),
        (error) => ({ startedAt, failure: String(error) }),
      ),
    )
    await sleep(Math.max(0, start + calls.length * everyMs - performance.now()))
  }
  return Promise.all(calls)
}
