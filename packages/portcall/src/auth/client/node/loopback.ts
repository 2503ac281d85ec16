import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerSafely } from '../../../../../util/src/answer-safely.ts'
import { parseUrl } from '../../../../../util/src/parse-url.ts'
import { pathOf, queryOf } from '../../../../../util/src/request-target.ts'
import { AuthError } from '../errors.ts'

/** An HTTP server on this machine that receives authorization responses. */
export interface LoopbackServer {
  readonly redirectUri: string
  /** Resolves to the parameters of the response with this state. Other responses are refused. @throws the reason of the signal. */
  waitForResponse(state: string, signal: AbortSignal): Promise<URLSearchParams>
  /** Stops listening. */
  close(): void
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
}
/** Time for the browser to read the last page. */
const CLOSE_DELAY_MS = 1000

/**
 * Listens for the redirect, on the port of the redirect URI. If it has none, on the port of a registered redirect URI, else on any free port
 * (RFC 8252, section 7.3).
 *
 * @throws AuthError `registration_failed` if the port is in use.
 */
export async function startLoopbackServer(redirect: URL, registered: readonly string[]): Promise<LoopbackServer> {
  let waiting: { readonly state: string; resolve(response: URLSearchParams): void } | undefined
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { origin, pathname } = new URL(redirectUri)
    const target = request.url ?? '/'
    if (request.method !== 'GET' || pathOf(target) !== pathname || `http://${request.headers.host}` !== origin)
      return sendPage(response, 404, 'Not found.')
    const parameters = queryOf(target)
    const states = parameters.getAll('state')
    if (!waiting || states.length !== 1 || states[0] !== waiting.state)
      return sendPage(response, 400, 'This response does not belong to a pending sign-in.')
    sendPage(response, 200, 'You can close this page and return to your program.')
    waiting.resolve(parameters)
  }
  const { servers, port } = await listen(redirect, registered, handle)
  const redirectUri = withPort(redirect, port)

  return {
    redirectUri,
    waitForResponse: (state, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => reject(signal.reason)
        if (signal.aborted) return abort()
        signal.addEventListener('abort', abort, { once: true })
        waiting = { state, resolve }
      }),
    close() {
      for (const server of servers) {
        server.close()
        setTimeout(() => server.closeAllConnections(), CLOSE_DELAY_MS).unref()
      }
    },
  }
}

function sendPage(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, HEADERS).end(`<!doctype html><meta charset="utf-8"><title>Signing in</title><p>${text}</p>\n`)
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

async function listen(
  redirect: URL,
  registered: readonly string[],
  listener: Listener,
): Promise<{ servers: Server[]; port: number }> {
  const ports = redirect.port === '' ? [...registered.flatMap((uri) => portOf(uri, redirect)), 0] : [Number(redirect.port)]
  const [host = '', ipv6Host] =
    redirect.hostname === 'localhost' ? ['127.0.0.1', '::1'] : [redirect.hostname.replace(/[[\]]/g, '')]
  for (const candidate of ports) {
    const server = await listenOn(host, candidate, listener).catch(() => undefined)
    if (!server) continue
    const { port } = server.address() as AddressInfo
    const second = ipv6Host && (await listenOn(ipv6Host, port, listener).catch(() => undefined))
    return { servers: second ? [server, second] : [server], port }
  }
  throw new AuthError('registration_failed', `Cannot listen on ${redirect.href}: the port is in use`)
}

/** Returns the port of a registered redirect URI that differs from `redirect` in its port only. */
function portOf(uri: string, redirect: URL): number[] {
  const { port = '', hostname, pathname } = parseUrl(uri) ?? {}
  return hostname === redirect.hostname && pathname === redirect.pathname && port !== '' ? [Number(port)] : []
}

function listenOn(host: string, port: number, listener: Listener): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000 }, (request, response) =>
      answerSafely(response, () => listener(request, response)),
    )
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => resolve(server))
  })
}

function withPort(redirect: URL, port: number): string {
  const url = new URL(redirect)
  url.port = String(port)
  return url.href
}
