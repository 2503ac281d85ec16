/** The fixture on Bun's own server. Prints its URL; ends by itself after SIGTERM. */
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

const handler = httpHandler(createFixture(), { path: '/mcp' })
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch: handler })
process.once('SIGTERM', async () => {
  await handler.close()
  await server.stop(true)
})
console.log(`http://127.0.0.1:${server.port}/mcp`)
