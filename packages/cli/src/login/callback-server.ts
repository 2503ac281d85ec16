import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerSafely } from '../../../util/src/answer-safely.ts'
import { pathOf, queryOf } from '../../../util/src/request-target.ts'

/** A server on this machine that receives authorization responses. */
export interface CallbackServer {
  /** Where authorization servers redirect to. */
  readonly redirectUri: string
  close(): void
}

const PAGES = {
  true: 'You can close this page and return to the terminal.',
  false: 'This response does not belong to the sign-in.',
}

/** Listens on a free port of 127.0.0.1. `receive` returns whether it accepts a response. */
export async function startCallbackServer(receive: (url: URL) => boolean): Promise<CallbackServer> {
  const server = createServer((request, response) => answerSafely(response, () => answer(request, response)))
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(redirectUri)
    const target = request.url ?? '/'
    const isCallback = request.method === 'GET' && pathOf(target) === url.pathname && request.headers.host === url.host
    if (!isCallback) return void response.writeHead(404).end()
    url.search = queryOf(target).toString()
    const isAccepted = receive(url)
    response.writeHead(isAccepted ? 200 : 400, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    })
    response.end(PAGES[`${isAccepted}`])
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  return {
    redirectUri,
    close() {
      server.close()
      server.closeIdleConnections()
    },
  }
}
