import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { EventWebhook } from 'portcall/events/client'
import { answerSafely } from '../../../util/src/answer-safely.ts'

/** A server that receives deliveries on this machine. */
export interface WebhookServer {
  close(): void
}

/** Listens on the loopback interface, and passes every request to the webhook. @throws the error of the socket. */
export async function serveWebhook(webhook: EventWebhook, port: number): Promise<WebhookServer> {
  const server = createServer((incoming, outgoing) => answerSafely(outgoing, () => answer(webhook, incoming, outgoing)))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  return {
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(webhook: EventWebhook, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', headers } = incoming
  const present = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const init = {
    method,
    headers: present as [string, string][],
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
  }
  const response = await webhook(new Request('http://127.0.0.1/', init as RequestInit))
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
}
