/** The fixture on Deno's own server. Prints its URL; ends by itself after SIGTERM. */
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

const handler = httpHandler(createFixture(), { path: '/mcp' })
const onListen = ({ port }: { port: number }): void => console.log(`http://127.0.0.1:${port}/mcp`)
const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen }, handler)
const end = async (): Promise<void> => {
  Deno.removeSignalListener('SIGTERM', end)
  await handler.close()
  await server.shutdown()
}
Deno.addSignalListener('SIGTERM', end)
