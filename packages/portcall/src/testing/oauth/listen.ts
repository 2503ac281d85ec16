import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FaultyAnswer } from './faults.ts'
import type { Answer, OAuthRequest } from './request.ts'

/** What is known of a request before it is known what it asks. */
export type Incoming = Omit<OAuthRequest, 'endpoint' | 'status'>

/** An answer, and what is wrong with it. */
export interface Outgoing extends Answer {
  readonly fault?: FaultyAnswer
}

export interface Listener {
  readonly port: number
  close(): Promise<void>
}

/** Answers requests on a port of this machine; 0: one that is free. */
export async function listen(port: number, answer: (request: Incoming) => Promise<Outgoing>): Promise<Listener> {
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    read(request)
      .then(answer)
      .then((outgoing) => send(response, outgoing))
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function read(request: IncomingMessage): Promise<Incoming> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const url = new URL(`http://${headers['host']}${request.url}`)
  const type = headers['content-type'] ?? ''
  const form = type.startsWith('application/x-www-form-urlencoded') ? [...new URLSearchParams(text)] : []
  return {
    method: request.method ?? '',
    url: url.origin + url.pathname,
    path: url.pathname,
    headers,
    parameters: new URLSearchParams([...url.searchParams, ...form]),
    body: type.startsWith('application/json') ? parse(text) : undefined,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

async function send(response: ServerResponse, { status, headers = {}, body = '', fault }: Outgoing): Promise<void> {
  const { hangs, resets, endless, delayMs = 0, padding = 0 } = fault ?? {}
  if (hangs) return
  if (resets) return void response.socket?.resetAndDestroy()
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
  response.writeHead(status, headers)
  await pad(response, endless ? Infinity : padding)
  response.end(body)
}

const PIECE = Buffer.alloc(65_536, ' ')

/** Writes spaces as fast as they are read, until there are enough or nobody listens any more. */
async function pad(response: ServerResponse, bytes: number): Promise<void> {
  for (let left = bytes; left > 0 && !response.destroyed; left -= PIECE.length) {
    if (response.write(PIECE.subarray(0, Math.min(left, PIECE.length)))) continue
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go).off('close', go)
        resolve()
      }
      response.on('drain', go).on('close', go)
    })
  }
}
