import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AuthError } from '../errors.ts'

/** Listens on this machine for a user who comes back from signing in. */
export interface Loopback {
  readonly redirectUri: string
  /** The parameters of the response to one attempt; others are turned away. @throws the reason of the signal. */
  response(state: string, signal: AbortSignal): Promise<URLSearchParams>
  /** Nothing listens any more. */
  close(): void
}

const HEAD = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
}
/** How long a browser may take to read the last page. */
const LINGER_MS = 1000

/**
 * Listens where users are to come back to, on the port that the address names; without one, on that of an address which is registered
 * already, else on any (RFC 8252 section 7.3).
 *
 * @throws AuthError `registration_failed` when the port that has to be it is taken.
 */
export async function createLoopback(redirect: URL, registered: readonly string[]): Promise<Loopback> {
  let waiting: { readonly state: string; take(response: URLSearchParams): void } | undefined
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { origin, pathname } = new URL(redirectUri)
    const url = request.url?.startsWith('/') ? new URL(origin + request.url) : undefined
    if (request.method !== 'GET' || url?.pathname !== pathname || `http://${request.headers.host}` !== origin)
      return say(response, 404, 'There is nothing here.')
    const states = url.searchParams.getAll('state')
    if (!waiting || states.length !== 1 || states[0] !== waiting.state)
      return say(response, 400, 'This answer belongs to no sign-in that is waited for.')
    say(response, 200, 'You can close this page and go back to your program.')
    waiting.take(url.searchParams)
  }
  const { servers, port } = await listen(redirect, registered, answer)
  const redirectUri = addressOf(redirect, port)

  return {
    redirectUri,
    response: (state, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => reject(signal.reason)
        if (signal.aborted) return abort()
        signal.addEventListener('abort', abort, { once: true })
        waiting = { state, take: resolve }
      }),
    close() {
      for (const server of servers) {
        server.close()
        setTimeout(() => server.closeAllConnections(), LINGER_MS).unref()
      }
    },
  }
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, HEAD).end(`<!doctype html><meta charset="utf-8"><title>Signing in</title><p>${text}</p>\n`)
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

async function listen(
  redirect: URL,
  registered: readonly string[],
  listener: Listener,
): Promise<{ servers: Server[]; port: number }> {
  const ports = redirect.port === '' ? [...registered.flatMap((uri) => portOf(uri, redirect)), 0] : [Number(redirect.port)]
  const [host = '', twin] = redirect.hostname === 'localhost' ? ['127.0.0.1', '::1'] : [redirect.hostname.replace(/[[\]]/g, '')]
  for (const wanted of ports) {
    const server = await listenOn(host, wanted, listener).catch(() => undefined)
    if (!server) continue
    const { port } = server.address() as AddressInfo
    const second = twin && (await listenOn(twin, port, listener).catch(() => undefined))
    return { servers: second ? [server, second] : [server], port }
  }
  throw new AuthError('registration_failed', `Users cannot be taken back at ${redirect.href}: the port is taken`)
}

function portOf(uri: string, redirect: URL): number[] {
  if (!URL.canParse(uri)) return []
  const { port, hostname, pathname } = new URL(uri)
  return hostname === redirect.hostname && pathname === redirect.pathname && port !== '' ? [Number(port)] : []
}

function listenOn(host: string, port: number, listener: Listener): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000 }, listener)
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => resolve(server))
  })
}

function addressOf(redirect: URL, port: number): string {
  const url = new URL(redirect)
  url.port = String(port)
  return url.href
}
