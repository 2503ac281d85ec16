import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { JsonObject } from 'portcall/jsonrpc'
import { createBodyObserver } from './observers.ts'
import type { Head, MessageObserver } from './recorder.ts'

/** A response that replaces the server's, or a message that replaces the client's. */
export type Change = { status: number; body?: string } | { message: JsonObject }

export interface RecordingProxy {
  readonly url: string
  close(): Promise<void>
}

/** Starts a proxy between a client and a local HTTP server that records their messages. `change` replaces requests or responses. */
export async function startProxy(
  target: string,
  tap: MessageObserver,
  change: (head: Head) => Change | undefined = () => undefined,
): Promise<RecordingProxy> {
  const agent = new Agent({ keepAlive: true })

  const pass = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = incoming
    const body = await text(incoming)
    const message = body === '' ? undefined : (JSON.parse(body) as JsonObject)
    const head = { method, url, headers: headers as Head['headers'], message }
    tap.head(head)
    if (message) tap.sent(message)
    const changed = change(head)
    if (changed && 'status' in changed) return void response.writeHead(changed.status).end(changed.body)
    const { 'content-length': _length, ...kept } = headers
    const outgoing = request(new URL(url, target), { method, headers: kept, agent }, (answer) => {
      const read = createBodyObserver(answer.headers['content-type'], tap)
      response.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders()
      answer.on('data', (bytes: Uint8Array) => {
        read(bytes)
        response.write(bytes)
      })
      answer.on('end', () => response.end()).on('error', () => response.destroy())
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    outgoing.end(changed ? JSON.stringify(changed.message) : body)
  }
  const server = createServer((incoming, response) => void pass(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.port = `${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}
