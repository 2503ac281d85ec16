import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The port behind `--port`; 0, for any that is free, without. */
function wantedPort(): number {
  const at = process.argv.indexOf('--port')
  return at < 0 ? 0 : Number(process.argv[at + 1])
}

/** Serves at the port that is wanted, and prints where that is. */
export function listen(listener: RequestListener): void {
  const server = createServer(listener)
  server.listen(wantedPort(), '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
}

/** A port for servers that do not tell which one they got. */
export async function choosePort(): Promise<number> {
  const wanted = wantedPort()
  if (wanted > 0) return wanted
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The body of a request, or nothing when it has none. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text === '' ? undefined : JSON.parse(text)
}

/** Sends what a server made for `fetch` has answered, and lets go of it when the client does. */
export async function reply(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.flushHeaders()
  const reader = answer.body?.getReader()
  response.on('close', () => void reader?.cancel().catch(() => {}))
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) response.write(part.value)
  response.end()
}
