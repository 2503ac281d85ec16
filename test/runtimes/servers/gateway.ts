/** A gateway in front of the server whose URL is the last argument, on Node, Bun and Deno. Prints its URL; exits by itself after SIGTERM. */
import process from 'node:process'
import { createServer } from 'portcall'
import { createGateway } from 'portcall/gateway'
import { httpHandler } from 'portcall/http'

type Handler = (request: Request) => Promise<Response>
interface Serving {
  readonly port: number
  stop(): Promise<unknown>
}

declare const Bun: {
  serve(options: { port: number; hostname: string; idleTimeout: number; fetch: Handler }): {
    readonly port: number
    stop(closeActiveConnections: boolean): Promise<void>
  }
}
declare const Deno: {
  serve(
    options: { port: number; hostname: string; onListen(): void },
    handler: Handler,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }
}

const hostname = '127.0.0.1'
const gateway = createGateway({
  servers: { far: process.argv.at(-1) ?? '', empty: createServer({ name: 'empty', version: '1.0.0' }) },
  names: { mode: 'on-conflict' },
})
const mcp = httpHandler(gateway, { path: '/mcp' })

async function start(): Promise<Serving> {
  if ('Bun' in globalThis) {
    const serving = Bun.serve({ port: 0, hostname, idleTimeout: 60, fetch: mcp })
    return { port: serving.port, stop: () => serving.stop(true) }
  }
  if ('Deno' in globalThis) {
    const serving = Deno.serve({ port: 0, hostname, onListen() {} }, mcp)
    return { port: serving.addr.port, stop: () => serving.shutdown() }
  }
  const { serve } = await import('portcall/node')
  const serving = await serve(gateway, { port: 0, handleProcessSignals: false })
  return { port: Number(new URL(serving.url).port), stop: () => serving.close() }
}

const { port, stop } = await start()
const end = async (): Promise<void> => {
  process.off('SIGTERM', end)
  await mcp.close()
  await stop()
  await gateway.close()
}
process.on('SIGTERM', end)
console.log(`http://${hostname}:${port}/mcp`)
