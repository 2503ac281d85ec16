/** The fixture on Bun's own server. Prints its URL; exits by itself after SIGTERM. */
import process from 'node:process'
import { httpHandler } from 'portcall/http'
import { createFixture } from '../fixture.ts'

declare const Bun: {
  serve(options: { port: number; hostname: string; idleTimeout: number; fetch(request: Request): Promise<Response> }): BunServer
}
interface BunServer {
  readonly port: number
  stop(closeActiveConnections: boolean): Promise<void>
}

const server = createFixture()
const port = 0

// #region serve
const mcp = httpHandler(server, { path: '/mcp' })
const serving = Bun.serve({ port, hostname: '127.0.0.1', idleTimeout: 60, fetch: mcp })
// #endregion
process.once('SIGTERM', async () => {
  await mcp.close()
  await serving.stop(true)
})
console.log(`http://127.0.0.1:${serving.port}/mcp`)
