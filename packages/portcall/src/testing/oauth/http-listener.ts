import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerSafely } from '../../../../util/src/answer-safely.ts'
import { parseJson } from '../../../../util/src/parse-json.ts'
import { pathOf, queryOf } from '../../../../util/src/request-target.ts'
import type { FaultyResponse } from './faults.ts'
import type { OAuthRequest, OAuthResponse } from './request.ts'

/** A request before it is routed to an endpoint. */
export type IncomingRequest = Omit<OAuthRequest, 'endpoint' | 'status'>

/** A response with the fault to apply. */
export interface OutgoingResponse extends OAuthResponse {
  readonly fault?: FaultyResponse
}

export interface Listener {
  readonly port: number
  close(): Promise<void>
}

/** Starts an HTTP server on localhost. Port 0 selects a free port. */
export async function startListener(
  port: number,
  respond: (request: IncomingRequest) => Promise<OutgoingResponse>,
): Promise<Listener> {
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    answerSafely(response, async () => sendResponse(response, await respond(await readRequest(request))))
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

async function readRequest(request: IncomingMessage): Promise<IncomingRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const target = request.url ?? '/'
  const path = pathOf(target)
  const type = headers['content-type'] ?? ''
  const form = type.startsWith('application/x-www-form-urlencoded') ? [...new URLSearchParams(text)] : []
  return {
    method: request.method ?? '',
    url: `http://${headers['host']}${path}`,
    path,
    headers,
    parameters: new URLSearchParams([...queryOf(target), ...form]),
    body: type.startsWith('application/json') ? parseJson(text) : undefined,
  }
}

async function sendResponse(
  response: ServerResponse,
  { status, headers = {}, body = '', fault }: OutgoingResponse,
): Promise<void> {
  const { hang, reset, endless, delayMs = 0, paddingBytes = 0 } = fault ?? {}
  if (hang) return
  if (reset) return void response.socket?.resetAndDestroy()
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
  response.writeHead(status, headers)
  await writePadding(response, endless ? Infinity : paddingBytes)
  response.end(body)
}

const PADDING = Buffer.alloc(65_536, ' ')

/** Writes spaces, with backpressure, until there are enough or the connection is closed. */
async function writePadding(response: ServerResponse, bytes: number): Promise<void> {
  for (let remaining = bytes; remaining > 0 && !response.destroyed; remaining -= PADDING.length) {
    if (response.write(PADDING.subarray(0, Math.min(remaining, PADDING.length)))) continue
    await new Promise<void>((resolve) => {
      const proceed = (): void => {
        response.off('drain', proceed).off('close', proceed)
        resolve()
      }
      response.on('drain', proceed).on('close', proceed)
    })
  }
}
