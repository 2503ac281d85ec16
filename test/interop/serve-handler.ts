import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Serves a handler of web requests on this machine until the test ends. Resolves to the origin. */
export async function serveHandler(handler: (request: Request) => Promise<Response>): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { method = 'GET', url = '/', headers } = incoming
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
    const response = await handler(
      new Request(`http://${headers.host}${url}`, { method, headers: headers as HeadersInit, ...(body && { body }) }),
    )
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
