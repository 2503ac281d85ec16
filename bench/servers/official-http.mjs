/** Legacy HTTP as both official SDKs document it: one transport per session, or one server and transport per request. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { serverArguments } from './arguments.mjs'

/** Listens on the port of the command line. */
export function listen(answer) {
  const server = createServer(answer)
  server.listen(serverArguments().port, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })))
}

/** One transport and one server per session; `open` creates both. */
export function serveSessions(open, settings) {
  const sessions = new Map()
  listen(async (request, response) => {
    const id = request.headers['mcp-session-id']
    if (id !== undefined) {
      const transport = sessions.get(id)
      if (transport) await transport.handleRequest(request, response)
      else response.writeHead(404).end()
      return
    }
    const { transport } = await open({
      ...settings,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (name) => void sessions.set(name, transport),
      onsessionclosed: (name) => void sessions.delete(name),
    })
    await transport.handleRequest(request, response)
  })
}

/** One transport and one server per request. */
export function serveStateless(open) {
  listen(async (request, response) => {
    const { transport, server } = await open({ sessionIdGenerator: undefined, enableJsonResponse: true })
    response.on('close', () => {
      transport.close()
      server.close()
    })
    await transport.handleRequest(request, response)
  })
}
