import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MetricsPage } from '../../protocol/metrics.ts'
import { createHostCheck } from '../../transports/http/server/host-check.ts'
import { HttpError } from '../../transports/http/server/http-error.ts'
import { createHealthChecks } from '../../transports/http/server/node/health.ts'
import { explainListenError } from '../../transports/http/server/node/listen-error.ts'
import { respondWithMetrics } from '../../transports/http/server/node/metrics-page.ts'
import { constantTimeEqual } from '../../util/digest.ts'
import { PortcallError } from '../../util/errors.ts'

/** What an admin endpoint shows and does. */
export interface AdminActions {
  /** Returns the status, as JSON without secrets. */
  status(): unknown
  /** Reads the configuration again. Resolves to what changed. */
  reload(): Promise<unknown>
  /** Closes the connections of a server, and opens new ones. */
  restart(server: string): Promise<unknown>
  /** Offers a server that was disabled. */
  enable(server: string): Promise<unknown>
  /** Leaves a server out, until it is enabled or the gateway restarts. */
  disable(server: string): Promise<unknown>
}

/** Options of `serveAdmin`. */
export interface AdminOptions {
  /** The port on 127.0.0.1; 0 for any free port. Default: 0. */
  readonly port?: number
  /** What clients send as `Authorization: Bearer TOKEN`. Use at least 32 random characters. */
  readonly token: string
  /** The metrics to show at `GET /metrics`; `portcall/metrics` creates them. They need a token only if they have one of their own. */
  readonly metrics?: MetricsPage
  /** A condition for `/readyz`. */
  readonly isReady?: () => unknown
}

/** A listening admin endpoint. */
export interface AdminServer {
  /** The port that the endpoint listens on. */
  readonly port: number
  /** Makes `/readyz` respond with 503. */
  stopBeingReady(): void
  /** Closes the endpoint and its connections. */
  close(): Promise<void>
}

/** Thrown by an action whose request is invalid. The message is sent to the client. */
export class AdminActionError extends PortcallError {
  override readonly name = 'AdminActionError'
  readonly code = 'ADMIN_ACTION'
}

const HOST = '127.0.0.1'
const MIN_TOKEN_LENGTH = 32
const SERVER_ROUTE = /^\/servers\/([^/]+)\/(restart|enable|disable)$/

type Handler = () => unknown

/**
 * Serves the admin endpoint of a gateway on the loopback interface: `GET /livez`, `/readyz` and `/status`, `POST /reload` and
 * `POST /servers/NAME/restart`, `enable` and `disable`. All but the first two need the token. Requests of web pages and with another `Host` are
 * refused, and so are bodies that are not JSON.
 *
 * @throws TypeError if the token is too short; Error if the port is in use.
 */
export async function serveAdmin(actions: AdminActions, options: AdminOptions): Promise<AdminServer> {
  const { port = 0, token, isReady, metrics } = options
  if (token.length < MIN_TOKEN_LENGTH) throw new TypeError(`The token must have at least ${MIN_TOKEN_LENGTH} characters`)
  const health = createHealthChecks({ options: isReady ? { check: isReady } : {}, stores: undefined })
  const admit = createAdmission(token)
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => sendFailure(response, error))
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    admit.origin(request)
    if (health.respond(request, response)) return
    if (metrics && respondWithMetrics(metrics, request, response)) return
    admit.token(request)
    const handler = findHandler(request, actions)
    request.resume()
    sendJson(response, 200, (await handler()) ?? { ok: true })
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, { host: HOST, port }))).listen(port, HOST, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    stopBeingReady: health.stop,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Admission {
  /** @throws HttpError if `Host`, `Origin` or the content type is not allowed. */
  origin(request: IncomingMessage): void
  /** @throws HttpError if the token is missing or wrong. */
  token(request: IncomingMessage): void
}

function createAdmission(token: string): Admission {
  const checkHost = createHostCheck({ allowedOrigins: [] })
  return {
    origin({ headers, rawHeaders, url = '' }) {
      const hosts = rawHeaders.filter((_, index) => index % 2 === 0).filter((name) => name.toLowerCase() === 'host')
      const header = (name: string): string | undefined => headers[name.toLowerCase()]?.toString()
      checkHost({ host: hosts.length === 1 ? headers.host : undefined, target: url, header })
      const type = headers['content-type']
      if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type))
        throw failure(415, 'The content type must be application/json')
    },
    token({ headers }) {
      const [, sent = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
      if (!constantTimeEqual(sent, token)) throw failure(401, 'The token is missing or wrong')
    },
  }
}

/** @throws HttpError for unknown paths and other methods. */
function findHandler({ method, url = '' }: IncomingMessage, actions: AdminActions): Handler {
  const [path = ''] = url.split('?', 1)
  const [, name = '', action = ''] = SERVER_ROUTE.exec(path) ?? []
  const routes: { readonly [path: string]: readonly [method: string, handler: Handler] } = {
    '/status': ['GET', actions.status],
    '/reload': ['POST', actions.reload],
  }
  const [expected, handler] = isServerAction(action)
    ? (['POST', () => actions[action](decodeName(name))] as const)
    : ((Object.hasOwn(routes, path) ? routes[path] : undefined) ?? [])
  if (!handler) throw failure(404, `There is no ${path.slice(0, 100)}`)
  if (method !== expected) throw failure(405, `Use ${expected} for ${path}`)
  return handler
}

function isServerAction(action: string): action is 'restart' | 'enable' | 'disable' {
  return action !== ''
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw failure(400, 'The name of the server is not a valid path segment')
  }
}

function failure(status: number, message: string): HttpError {
  return new HttpError(status, {}, { code: 0, message })
}

function sendFailure(response: ServerResponse, error: unknown): void {
  if (error instanceof HttpError) sendJson(response, error.status, { error: error.message })
  else if (error instanceof AdminActionError) sendJson(response, 422, { error: error.message })
  else sendJson(response, 500, { error: 'Internal error' })
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
  response.writeHead(status, headers).end(body)
}
