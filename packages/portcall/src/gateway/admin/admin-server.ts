import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerSafely } from '../../../../util/src/answer-safely.ts'
import { constantTimeEqual } from '../../../../util/src/digest.ts'
import { PortcallError } from '../../../../util/src/errors.ts'
import { countHeader } from '../../../../util/src/header-names.ts'
import { pathOf } from '../../../../util/src/request-target.ts'
import type { MetricsPage } from '../../protocol/metrics.ts'
import { createHostCheck } from '../../transports/http/server/host-check.ts'
import { HttpError } from '../../transports/http/server/http-error.ts'
import { createHealthChecks } from '../../transports/http/server/node/health.ts'
import { explainListenError } from '../../transports/http/server/node/listen-error.ts'
import { respondWithMetrics } from '../../transports/http/server/node/metrics-page.ts'

/** The actions and values of an admin endpoint. */
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
  /** Fetches again what servers list: those of one server, or of all. Absent: there is no such route. */
  refresh?(server?: string): unknown
  /** Returns the changes of pinned definitions that have not been accepted. Absent: there is no such route. */
  pins?(): unknown
  /** Returns the calls that wait for an approval. Absent: there is no such route. */
  approvals?(): Promise<unknown>
  /** Approves a call that waits. Absent: there is no such route. */
  approve?(id: string): Promise<unknown>
  /** Denies a call that waits. Absent: there is no such route. */
  deny?(id: string): Promise<unknown>
  /** Returns metrics in the Prometheus text format, such as those of `gatewayMetrics`. Absent: there is no such route. */
  metrics?(): string | Promise<string>
}

/** Options of `serveAdmin`. */
export interface AdminOptions {
  /** The port on 127.0.0.1; 0 for any free port. Default: 0. */
  readonly port?: number
  /** The token that clients send as `Authorization: Bearer TOKEN`. Use at least 32 random characters. */
  readonly token: string
  /** The metrics to show at `GET /metrics`; `portcall/metrics` creates them. They need a token only if they have their own. */
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
const JSON_TYPE = 'application/json'
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A request that the endpoint answers. The pattern may capture the name of what the action concerns. */
interface AdminRoute {
  readonly method: 'GET' | 'POST'
  readonly pattern: RegExp
  readonly action: keyof AdminActions
  /** The content type of a response that is text. Default: the response is JSON. */
  readonly textType?: string
}

const ROUTES: readonly AdminRoute[] = [
  { method: 'GET', pattern: /^\/status$/, action: 'status' },
  { method: 'GET', pattern: /^\/metrics$/, action: 'metrics', textType: METRICS_TYPE },
  { method: 'GET', pattern: /^\/pins$/, action: 'pins' },
  { method: 'GET', pattern: /^\/approvals$/, action: 'approvals' },
  { method: 'POST', pattern: /^\/approvals\/([^/]+)\/approve$/, action: 'approve' },
  { method: 'POST', pattern: /^\/approvals\/([^/]+)\/deny$/, action: 'deny' },
  { method: 'POST', pattern: /^\/reload$/, action: 'reload' },
  { method: 'POST', pattern: /^\/refresh$/, action: 'refresh' },
  { method: 'POST', pattern: /^\/servers\/([^/]+)\/restart$/, action: 'restart' },
  { method: 'POST', pattern: /^\/servers\/([^/]+)\/enable$/, action: 'enable' },
  { method: 'POST', pattern: /^\/servers\/([^/]+)\/disable$/, action: 'disable' },
  { method: 'POST', pattern: /^\/servers\/([^/]+)\/refresh$/, action: 'refresh' },
]

/**
 * Serves the admin endpoint of a gateway on the loopback interface: `GET /livez`, `/readyz`, `/status`, `/metrics`, `/pins` and `/approvals`,
 * `POST /reload`, `/refresh`, `/approvals/ID/approve` and `deny`, and `POST /servers/NAME/restart`, `enable`, `disable` and `refresh`. All but
 * the first two need the token. Requests of web pages and with another `Host` are refused, and so are bodies that are not JSON.
 *
 * @throws TypeError if the token is too short; Error if the port is in use.
 */
export async function serveAdmin(actions: AdminActions, options: AdminOptions): Promise<AdminServer> {
  const { port = 0, token, isReady, metrics } = options
  if (token.length < MIN_TOKEN_LENGTH) throw new TypeError(`The token must have at least ${MIN_TOKEN_LENGTH} characters`)
  const health = createHealthChecks({ options: isReady ? { check: isReady } : {}, stores: undefined })
  const admit = createAdmission(token)
  const server = createServer((request, response) => {
    answerSafely(response, () => answer(request, response).catch((error: unknown) => sendFailure(response, error)))
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    admit.origin(request)
    if (health.respond(request, response)) return
    if (metrics && respondWithMetrics(metrics, request, response)) return
    admit.token(request)
    const { run, textType } = findHandler(request, actions)
    request.resume()
    const value = (await run()) ?? { ok: true }
    if (textType === undefined) sendJson(response, 200, value)
    else send(response, 200, { type: textType, body: String(value) })
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
      const header = (name: string): string | undefined => headers[name.toLowerCase()]?.toString()
      checkHost({ host: countHeader(rawHeaders, 'host') === 1 ? headers.host : undefined, target: url, header })
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

interface Handler {
  readonly run: () => unknown
  readonly textType: string | undefined
}

/** @throws HttpError for unknown paths and other methods. */
function findHandler({ method, url = '' }: IncomingMessage, actions: AdminActions): Handler {
  const path = pathOf(url)
  for (const { pattern, action, method: expected, textType } of ROUTES) {
    const found = pattern.exec(path)
    const run: ((name: string) => unknown) | undefined = actions[action]
    if (!found || !run) continue
    if (method !== expected) throw failure(405, `Use ${expected} for ${path}`)
    const name = found[1] === undefined ? undefined : decodeName(found[1])
    return { run: () => (name === undefined ? (run as () => unknown)() : run(name)), textType }
  }
  throw failure(404, `There is no ${path.slice(0, 100)}`)
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw failure(400, 'The name is not a valid path segment')
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
  send(response, status, { type: JSON_TYPE, body: JSON.stringify(value) })
}

function send(response: ServerResponse, status: number, { type, body }: { readonly type: string; readonly body: string }): void {
  const headers = {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
  response.writeHead(status, headers).end(body)
}
