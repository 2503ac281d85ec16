/** Servers that are broken in one way each, and what the doctor says about them. */
import type { ServerResponse } from 'node:http'
import type { ConnectTarget } from 'portcall/client'
import type { DiagnoseOptions, DiagnosisStepId } from 'portcall/diagnostics'
import { EXPIRED, SELF_SIGNED } from './certificates.ts'
import { closedPort, type Listening, type OldServerFaults, oldServer, serveHttp, serveHttps, serveTcp } from './raw-server.ts'

/** A running fixture. */
export interface BrokenServer {
  readonly target: ConnectTarget
  readonly options?: DiagnoseOptions
  close(): Promise<void>
}

/** How to start a broken server, and the step and the problem that the doctor has to name. */
export interface BrokenServerFixture {
  readonly name: string
  readonly step: DiagnosisStepId
  readonly problem: string
  /** Whether the step fails or only warns. Default: it fails. */
  readonly verdict?: 'warning'
  start(): Promise<BrokenServer>
}

const at = async (listening: Promise<Listening>, path = '/mcp', scheme = 'http'): Promise<BrokenServer> => {
  const { port, close } = await listening
  return { target: `${scheme}://127.0.0.1:${port}${path}`, close }
}
const only = (target: ConnectTarget): Promise<BrokenServer> => Promise.resolve({ target, close: async () => {} })
const old = (faults: OldServerFaults): Promise<BrokenServer> => at(serveHttp(oldServer(faults)))
const program = (code: string): Promise<BrokenServer> => only({ command: process.execPath, args: ['-e', code] })
const answer = (status: number, headers: Record<string, string>, body = ''): Promise<BrokenServer> =>
  at(serveHttp((_, response) => void response.writeHead(status, headers).end(body)))
const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const tool = (name: string, inputSchema: object = { type: 'object' }): object => ({
  name,
  description: 'Does something',
  inputSchema,
  annotations: { readOnlyHint: true },
})

/** What a protected server publishes. */
interface ProtectedServer {
  readonly challenge?: (origin: string) => string
  readonly resource?: (origin: string) => Record<string, unknown> | undefined
  readonly server?: (origin: string) => Record<string, unknown> | undefined
}

/** Starts a server that refuses all requests with 401, with its metadata and that of its authorization server on the same origin. */
async function startProtected({ challenge, resource, server }: ProtectedServer): Promise<BrokenServer> {
  const listening = serveHttp((request, response) => {
    const origin = `http://${request.headers.host}`
    const documents: { readonly [path: string]: Record<string, unknown> | undefined } = {
      '/.well-known/oauth-protected-resource/mcp': {
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
        ...resource?.(origin),
      },
      '/.well-known/oauth-authorization-server': {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        ...server?.(origin),
      },
    }
    const path = request.url ?? ''
    const isHidden = path.includes('protected-resource') && resource?.(origin) === undefined && resource !== undefined
    if (documents[path] && !isHidden) return json(response, 200, documents[path])
    if (path !== '/mcp') return void response.writeHead(404).end()
    const header = challenge?.(origin) ?? `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
    response.writeHead(401, header === '' ? {} : { 'www-authenticate': header }).end()
  })
  return at(listening)
}

/** Returns an unsigned token that expired in 2020. */
function expiredToken(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part({ iss: 'https://login.example.com', exp: 1577836800 })}.x`
}

/** The fixtures, in the order of the steps. */
export const BROKEN_SERVERS: readonly BrokenServerFixture[] = [
  { name: 'a URL with another scheme', step: 'target', problem: 'invalid-scheme', start: () => only('ftp://127.0.0.1/mcp') },
  {
    name: 'a URL with a password',
    step: 'target',
    problem: 'credentials-in-url',
    start: () => only('https://ada:pw@127.0.0.1/mcp'),
  },
  {
    name: 'a name that does not exist',
    step: 'dns',
    problem: 'name-not-resolved',
    start: () => only('http://no-such-host.invalid/mcp'),
  },
  {
    name: 'a port that nobody listens on',
    step: 'tcp',
    problem: 'connection-refused',
    start: async () => only(`http://127.0.0.1:${await closedPort()}/mcp`),
  },
  {
    name: 'https to a port that speaks HTTP',
    step: 'tls',
    problem: 'port-speaks-http',
    start: () => at(serveHttp(oldServer()), '/mcp', 'https'),
  },
  {
    name: 'an expired certificate',
    step: 'tls',
    problem: 'certificate-expired',
    start: () => at(serveHttps(EXPIRED, oldServer()), '/mcp', 'https'),
  },
  {
    name: 'a self-signed certificate',
    step: 'tls',
    problem: 'certificate-self-signed',
    start: () => at(serveHttps(SELF_SIGNED, oldServer()), '/mcp', 'https'),
  },
  {
    name: 'http to a port that speaks TLS',
    step: 'http',
    problem: 'port-speaks-tls',
    start: () => at(serveHttps(SELF_SIGNED, oldServer())),
  },
  {
    name: 'a port that does not speak HTTP',
    step: 'http',
    problem: 'not-http',
    start: () => at(serveTcp((socket) => void socket.end('220 mail.example.com ESMTP\r\n'))),
  },
  { name: 'a server that never responds', step: 'http', problem: 'no-response', start: () => at(serveHttp(() => {})) },
  {
    name: 'a server that resets the connection',
    step: 'http',
    problem: 'connection-broken',
    start: () => at(serveHttp((request) => void request.socket.resetAndDestroy())),
  },
  {
    name: 'a web page at the URL',
    step: 'http',
    problem: 'html',
    start: () => answer(200, { 'content-type': 'text/html' }, '<!doctype html><title>Welcome</title><h1>Hello</h1>'),
  },
  {
    name: 'a path that does not exist',
    step: 'http',
    problem: 'path-not-found',
    start: () =>
      at(
        serveHttp((request, response) => {
          if (request.url === '/mcp') return oldServer()(request, response)
          response.writeHead(404, { 'content-type': 'text/plain' }).end('not found')
        }),
        '/api',
      ),
  },
  {
    name: 'a redirect',
    step: 'http',
    problem: 'redirect',
    start: () => answer(302, { location: 'https://www.example.com/login' }),
  },
  { name: 'a path that takes only GET', step: 'http', problem: 'post-not-allowed', start: () => answer(405, { allow: 'GET' }) },
  {
    name: 'a server that crashes on requests',
    step: 'http',
    problem: 'server-error',
    start: () => answer(500, {}, 'Internal Server Error'),
  },
  {
    name: 'a proxy without its server',
    step: 'http',
    problem: 'server-unavailable',
    start: () => answer(502, {}, 'Bad Gateway'),
  },
  {
    name: 'a Host header that is refused',
    step: 'http',
    problem: 'host-refused',
    start: () =>
      at(
        serveHttp((request, response) => {
          if (request.headers.host?.startsWith('localhost')) return oldServer()(request, response)
          response.writeHead(403).end('Forbidden')
        }),
      ),
  },
  { name: 'media types that are refused', step: 'http', problem: 'media-type-refused', start: () => answer(406, {}) },
  { name: 'a wrong content type', step: 'http', problem: 'wrong-content-type', start: () => old({ contentType: 'text/plain' }) },
  {
    name: 'a JSON API that is not MCP',
    step: 'http',
    problem: 'not-mcp',
    start: () => answer(200, { 'content-type': 'application/json' }, '{"ok":true}'),
  },
  {
    name: 'a server with HTTP+SSE only',
    step: 'http',
    problem: 'sse-only',
    verdict: 'warning',
    start: () => at(serveHttp(createSseServer()), '/sse'),
  },
  {
    name: '401 without a challenge and without metadata',
    step: 'authorization',
    problem: 'challenge-header',
    start: () => answer(401, {}),
  },
  {
    name: 'resource metadata of another server',
    step: 'authorization',
    problem: 'resource-identifier',
    start: () => startProtected({ resource: () => ({ resource: 'https://other.example.com/mcp' }) }),
  },
  {
    name: 'resource metadata without authorization servers',
    step: 'authorization',
    problem: 'authorization-servers',
    start: () => startProtected({ resource: () => ({ authorization_servers: [] }) }),
  },
  {
    name: 'another issuer in the metadata',
    step: 'authorization',
    problem: 'issuer',
    start: () => startProtected({ server: (origin) => ({ issuer: `${origin}/other` }) }),
  },
  {
    name: 'an authorization server without PKCE',
    step: 'authorization',
    problem: 'pkce',
    start: () => startProtected({ server: () => ({ code_challenge_methods_supported: undefined }) }),
  },
  { name: 'a sign-in that is missing', step: 'sign-in', problem: 'sign-in-required', start: () => startProtected({}) },
  {
    name: 'a token that has expired',
    step: 'sign-in',
    problem: 'token-expired',
    start: async () => ({ ...(await startProtected({})), options: { headers: { Authorization: `Bearer ${expiredToken()}` } } }),
  },
  {
    name: 'a token that is refused',
    step: 'sign-in',
    problem: 'token-refused',
    start: async () => ({ ...(await startProtected({})), options: { headers: { Authorization: 'Bearer opaque-token' } } }),
  },
  { name: 'an unknown protocol version', step: 'era', problem: 'version-mismatch', start: () => old({ version: '1999-01-01' }) },
  {
    name: 'a version that the server does not have',
    step: 'era',
    problem: 'version-mismatch',
    start: async () => ({ ...(await old({})), options: { protocolVersion: '2026-07-28' } }),
  },
  {
    name: 'a handshake that is refused',
    step: 'era',
    problem: 'handshake-refused',
    start: () =>
      old({
        results: {
          initialize: () => {
            throw new Error('Invalid request')
          },
        },
      }),
  },
  {
    name: 'session IDs that are rejected',
    step: 'session',
    problem: 'session-rejected',
    start: () =>
      old({
        intercept(request, response) {
          if (request.headers['mcp-session-id'] === undefined) return false
          json(response, 404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } })
          return true
        },
      }),
  },
  {
    name: 'a GET stream that ends at once',
    step: 'session',
    problem: 'stream-ends',
    start: () =>
      old({
        intercept(request, response) {
          if (request.method !== 'GET') return false
          response.writeHead(200, { 'content-type': 'text/event-stream' }).end()
          return true
        },
      }),
  },
  {
    name: 'a GET stream that is a web page',
    step: 'session',
    problem: 'stream-type',
    start: () =>
      old({
        intercept(request, response) {
          if (request.method !== 'GET') return false
          response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi</p>')
          return true
        },
      }),
  },
  {
    name: 'a program that does not exist',
    step: 'program',
    problem: 'program-not-found',
    start: () => only({ command: 'no-such-program-here' }),
  },
  {
    name: 'a program that exits with a message on stderr',
    step: 'program',
    problem: 'program-exited',
    start: () => program('console.error("API_KEY is not set"); process.exit(3)'),
  },
  {
    name: 'a program that writes a banner to stdout',
    step: 'program',
    problem: 'stray-output',
    start: () => program('console.log("Server started on stdio"); setInterval(() => {}, 1000)'),
  },
  {
    name: 'a program that serves HTTP',
    step: 'program',
    problem: 'serves-http',
    start: () => program('console.error("Listening at http://127.0.0.1:1/mcp"); setInterval(() => {}, 1000)'),
  },
  {
    name: 'a program that never answers',
    step: 'era',
    problem: 'no-answer',
    start: () => program('setInterval(() => {}, 1000)'),
  },
  {
    name: 'tools that are not declared',
    step: 'capabilities',
    problem: 'capability-not-declared',
    verdict: 'warning',
    start: () => old({ capabilities: {} }),
  },
  {
    name: 'a list that fails',
    step: 'lists',
    problem: 'list-failed',
    start: () =>
      old({
        results: {
          'tools/list': () => {
            throw new Error('database is down')
          },
        },
      }),
  },
  { name: 'a list that hangs', step: 'lists', problem: 'list-failed', start: () => old({ results: { 'tools/list': 'hang' } }) },
  {
    name: 'a list without tools',
    step: 'lists',
    problem: 'list-empty',
    verdict: 'warning',
    start: () => old({ results: { 'tools/list': { tools: [] } } }),
  },
  {
    name: 'an invalid schema',
    step: 'schemas',
    problem: 'input-schema',
    start: () =>
      old({ results: { 'tools/list': { tools: [tool('search', { type: 'object', properties: { a: { type: 'strnig' } } })] } } }),
  },
  {
    name: 'a name that hosts refuse',
    step: 'hosts',
    problem: 'tool-name',
    start: () => old({ results: { 'tools/list': { tools: [tool('notes.search/all')] } } }),
  },
  {
    name: 'more tools than hosts accept',
    step: 'hosts',
    problem: 'tool-count',
    start: () => old({ results: { 'tools/list': { tools: Array.from({ length: 130 }, (_, index) => tool(`tool_${index}`)) } } }),
  },
]

/** Creates a server with the transport of 2024: an event stream for GET, and messages to another path. */
function createSseServer(): Parameters<typeof serveHttp>[0] {
  let stream: ServerResponse | undefined
  const answerOld = oldServer({ version: '2024-11-05' })
  return (request, response) => {
    if (request.method === 'GET' && request.url === '/sse') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      stream.write('event: endpoint\ndata: /messages\n\n')
      return
    }
    if (request.url !== '/messages') return void response.writeHead(404).end()
    const answering = Object.assign(Object.create(response) as ServerResponse, {
      writeHead: () => answering,
      end: (body = '') => {
        if (body !== '') stream?.write(`data: ${body}\n\n`)
        response.writeHead(202).end()
        return answering
      },
    })
    answerOld(request, answering)
  }
}
