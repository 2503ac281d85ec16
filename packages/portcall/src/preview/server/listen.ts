/** HTTP servers on the loopback address, for pages. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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
  const server = createServer((request, response) => {
    Promise.resolve()
      .then(() => handle(request, response))
      .catch(() => {
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
  })
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

/** Reads the body of a request. Returns `undefined` if it is longer than `maxBytes`. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
