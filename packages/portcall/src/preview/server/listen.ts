/** HTTP servers on the loopback address, for pages. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerSafely } from '../../../../util/src/answer-safely.ts'

/** A server that listens. */
export interface LocalListener {
  /** The port. */
  readonly port: number
  /** Stops at once. */
  close(): Promise<void>
}

/** Answers requests on 127.0.0.1. A handler that throws is answered with 500. */
export async function listenOnLoopback(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
  port = 0,
): Promise<LocalListener> {
  const server = createServer((request, response) => answerSafely(response, () => handle(request, response)))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return { port: (server.address() as AddressInfo).port, close: () => closeAll(server) }
}

function closeAll(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
