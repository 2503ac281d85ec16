import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Node } from './fleet.ts'

/** A round-robin balancer without any stickiness: each request goes to the next process. */
export interface Balancer {
  readonly url: string
  close(): Promise<void>
}

/** Starts a balancer; who cannot be reached is left out, as every balancer does. */
export async function startBalancer(nodes: readonly Node[]): Promise<Balancer> {
  // No connection is kept behind it, and none is closed before it: either may happen just when the next request is sent.
  const agent = new Agent({ keepAlive: false, maxSockets: 1000 })
  let turn = 0

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, tries: number): void => {
    const node = nodes[turn++ % nodes.length]
    if (!node) return void outgoing.writeHead(502).end()
    const { method, headers } = incoming
    const upstream = request(node.url, { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      answer.on('error', () => outgoing.destroy())
      answer.on('aborted', () => outgoing.destroy())
      answer.pipe(outgoing)
    })
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.headersSent) return void outgoing.destroy()
      if (error.code === 'ECONNREFUSED' && tries > 0) pass(incoming, outgoing, body, tries - 1)
      else outgoing.writeHead(502).end()
    })
    outgoing.on('close', () => upstream.destroy())
    upstream.end(body)
  }
  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece) => pieces.push(piece))
    incoming.on('end', () => pass(incoming, outgoing, Buffer.concat(pieces), 2))
  })
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
