/** The fixture on Deno's own server. Prints its URL; exits by itself after SIGTERM. */
import { httpHandler } from 'portcall/http'
import { createFixture } from '../fixture.ts'

declare const Deno: {
  serve(
    options: { port: number; hostname: string; onListen(address: { port: number }): void },
    handler: (request: Request) => Promise<Response>,
  ): DenoServer
  addSignalListener(signal: string, listener: () => void): void
  removeSignalListener(signal: string, listener: () => void): void
}
interface DenoServer {
  shutdown(): Promise<void>
}

const server = createFixture()
const port = 0
const onListen = (address: { port: number }): void => console.log(`http://127.0.0.1:${address.port}/mcp`)

// #region serve
const mcp = httpHandler(server, { path: '/mcp' })
const serving = Deno.serve({ port, hostname: '127.0.0.1', onListen }, mcp)
// #endregion
const end = async (): Promise<void> => {
  Deno.removeSignalListener('SIGTERM', end)
  await mcp.close()
  await serving.shutdown()
}
Deno.addSignalListener('SIGTERM', end)
