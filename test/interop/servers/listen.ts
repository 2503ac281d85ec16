import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The port from `--port`. Default: 0 for any free port. */
function wantedPort(): number {
  const at = process.argv.indexOf('--port')
  return at < 0 ? 0 : Number(process.argv[at + 1])
}

/** Serves on the requested port and prints the port. */
export function listen(listener: RequestListener): void {
  const server = createServer(listener)
  server.listen(wantedPort(), '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
}

/** Returns a free port for servers that do not report their own. */
export async function choosePort(): Promise<number> {
  const wanted = wantedPort()
  if (wanted > 0) return wanted
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Returns the body of a request, or `undefined` when it has none. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text === '' ? undefined : JSON.parse(text)
}

/** Sends the response of a fetch handler, and cancels its body when the client disconnects. */
export async function reply(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.flushHeaders()
  const reader = answer.body?.getReader()
  response.on('close', () => void reader?.cancel().catch(() => {}))
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) response.write(part.value)
  response.end()
}
