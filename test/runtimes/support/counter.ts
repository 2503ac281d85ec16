import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'
import { nodeHandler } from 'portcall/node'
import { createFixture } from '../fixture.ts'
import { DIST } from './places.mjs'

/** A Node server with the fixture at `/mcp` and the files of a page, which therefore needs no CORS. It counts open requests. */
export interface Counter {
  readonly origin: string
  readonly url: string
  /** Returns the requests that are still open after a short time. */
  stillOpen(): Promise<string[]>
  close(): Promise<void>
}

const MOMENT_MS = 1000

export async function startCounter(): Promise<Counter> {
  const open = new Map<ServerResponse, string>()
  const mcp = nodeHandler(createFixture())
  const server = createServer((request, response) => {
    open.set(response, `${request.method} ${request.url}`)
    response.once('close', () => open.delete(response))
    if (request.url === '/mcp') void mcp(request, response)
    else void sendFile(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/mcp`,
    async stillOpen() {
      const until = performance.now() + MOMENT_MS
      while (open.size > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
      return [...open.values()]
    },
    async close() {
      server.close()
      await mcp.close(0)
      server.closeAllConnections()
    },
  }
}

/** The page has only its module and a strict content security policy: no `eval`, no other origins. */
async function sendFile({ url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url === '/') {
    response.setHeader('content-security-policy', "default-src 'self'; script-src 'self'").setHeader('content-type', 'text/html')
    response.end('<!doctype html><script type="module" src="/main.js"></script>')
    return
  }
  const text = await readFile(join(DIST, 'page', normalize(url)), 'utf8').catch(() => undefined)
  if (text === undefined) response.writeHead(404).end()
  else response.setHeader('content-type', 'text/javascript').end(text)
}
