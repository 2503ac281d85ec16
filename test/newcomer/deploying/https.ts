import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { createServer } from 'portcall'
import { nodeHandler } from 'portcall/node'

const server = createServer({ name: 'hello', version: '1.0.0' })
server.tool('ping', { description: 'Check that the server responds' }, () => 'pong')

const mcp = nodeHandler(server, { path: '/mcp', allowedHosts: ['mcp.example.com', 'localhost'] })
const https = createHttpsServer(
  { cert: readFileSync(process.env.TLS_CERT ?? 'cert.pem'), key: readFileSync(process.env.TLS_KEY ?? 'key.pem') },
  mcp,
)
const port = Number(process.env.PORT ?? 3000)
https.listen(port, () => console.log(`Listening at https://localhost:${port}/mcp`))

process.once('SIGTERM', async () => {
  https.close()
  await mcp.close()
  https.closeAllConnections()
})
