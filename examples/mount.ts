/** An endpoint inside an existing HTTP server. */
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'portcall'
import { nodeHandler } from 'portcall/node'

const server = createServer({ name: 'mount', version: '1.0.0' })
server.tool('ping', { description: 'Answers' }, () => 'pong')

// #region mount
const mcp = nodeHandler(server)

const http = createHttpServer((request, response) => {
  if (request.url?.startsWith('/mcp')) return void mcp(request, response)
  response.end('Something else')
})

process.once('SIGTERM', async () => {
  http.close()
  await mcp.close()
  http.closeAllConnections()
})
// #endregion

http.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(http.address()))
