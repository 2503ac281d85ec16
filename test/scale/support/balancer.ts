import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Node } from './fleet.ts'

/** A round-robin balancer without any stickiness: each request goes to the next process. */
export interface Balancer {
  readonly url: string
  close(): Promise<void>
}

/** Starts a balancer. It retries requests that a process refuses, as every balancer does. */
export async function startBalancer(nodes: readonly Pick<Node, 'url'>[]): Promise<Balancer> {
  // Without keep-alive upstream and without a keep-alive timeout downstream, no connection is closed while a request is being sent on it.
  const agent = new Agent({ keepAlive: false, maxSockets: 1000 })
  let turn = 0

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, retries: number): void => {
    const node = nodes[turn++ % nodes.length]
    if (!node) return void outgoing.writeHead(502).end()
    const { method, headers, url = '/' } = incoming
    const upstream = request(new URL(url, node.url), { method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      outgoing.flushHeaders()
      response.on('error', () => outgoing.destroy())
      response.on('aborted', () => outgoing.destroy())
      response.pipe(outgoing)
    })
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.headersSent) return void outgoing.destroy()
      if (error.code === 'ECONNREFUSED' && retries > 0) forward(incoming, outgoing, body, retries - 1)
      else outgoing.writeHead(502).end()
    })
    outgoing.on('close', () => upstream.destroy())
    upstream.end(body)
  }
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('end', () => forward(incoming, outgoing, Buffer.concat(chunks), 2))
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
