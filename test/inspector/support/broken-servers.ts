/** Servers that are broken in one way each, and what the doctor says about them. */
import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { ConnectTarget } from 'portcall/client'
import type { DiagnoseOptions, DiagnosisStepId } from 'portcall/diagnostics'
import { EXPIRED, SELF_SIGNED } from '../../support/certificates.ts'
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
  /** `warning` if the step only warns. Default: it fails. */
  readonly verdict?: 'warning'
  /** The text that the message of the problem must contain. */
  readonly says?: RegExp
  /** The text that the advice must contain. */
  readonly advice?: RegExp
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

/** The documents that a protected server publishes. */
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

/** A server over stdio that starts to read after a number of milliseconds. */
const SLOW_SERVER = fileURLToPath(new URL('../fixtures/slow-server.mjs', import.meta.url))

const NPM_404 = `npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/no-such-server - Not found
npm error 404
npm error 404  'no-such-server@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /home/ada/.npm/_logs/debug-0.log
`

/** Output of programs before they exit: the name of the cause, the output, the part that the doctor quotes, and its advice. */
const PROGRAM_FAILURES: readonly (readonly [name: string, output: string, says: RegExp, advice: RegExp])[] = [
  ['a package that npm does not have', NPM_404, /'no-such-server@\*' is not in this registry/, /name of the package/],
  [
    'a package that uvx does not find',
    '  × No solution found when resolving tool dependencies:\n  ╰─▶ Because no-such-server was not found in the package registry and you require\n      no-such-server, we can conclude that your requirements are unsatisfiable.\n',
    /no-such-server was not found/,
    /name of the package/,
  ],
  [
    'Docker that does not run',
    "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n\nRun 'docker run --help' for more information\n",
    /Cannot connect to the Docker daemon/,
    /Start Docker/,
  ],
  ['docker run -t', 'the input device is not a TTY\n', /not a TTY/, /Leave -t out/],
  [
    'a port that is in use',
    'node:events:497\n      throw er;\n\nError: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle [as _listen2] (node:net:1817:16)\n\nNode.js v20.20.0\n',
    /EADDRINUSE/,
    /Another program listens/,
  ],
  [
    'a Python module',
    "Traceback (most recent call last):\nModuleNotFoundError: No module named 'mcp'\n",
    /No module named 'mcp'/,
    /Install the Python module/,
  ],
  [
    'a file that is not built',
    "node:internal/modules/cjs/loader:1143\n  throw err;\n\nError: Cannot find module '/srv/notes/dist/index.js'\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1140:15) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.0\n",
    /Cannot find module '\/srv\/notes\/dist\/index\.js'/,
    /build it/,
  ],
  [
    'TypeScript that Node does not run',
    'TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts" for /srv/notes/server.ts\n    at Object.getFileProtocolModuleFormat\n',
    /Unknown file extension/,
    /tsx/,
  ],
  [
    'TypeScript that Node takes for JavaScript',
    "/srv/notes/server.ts:1\ninterface Note { text: string }\n          ^^^^\n\nSyntaxError: Unexpected identifier 'Note'\n    at wrapSafe (node:internal/modules/cjs/loader:1378:20)\n\nNode.js v20.20.0\n",
    /Unexpected identifier/,
    /tsx/,
  ],
  [
    'a package that a newer npm does not find',
    "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/no-such-server - Not found\nnpm error 404\nnpm error 404  The requested resource 'no-such-server@*' could not be found or you do not have permission to access it.\nnpm error 404\nnpm error A complete log of this run can be found in: /home/ada/.npm/_logs/debug-0.log\n",
    /'no-such-server@\*' could not be found/,
    /name of the package/,
  ],
  ['Windows line endings', 'env: \u2018node\\r\u2019: No such file or directory\n', /env:/, /line endings/],
  ['a variable', 'Starting\nError: GITHUB_TOKEN is not set\n', /GITHUB_TOKEN is not set/, /--env/],
  [
    'something else',
    'Traceback (most recent call last):\nValueError: bad database\n',
    /ValueError: bad database/,
    /in a terminal/,
  ],
]

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
  {
    name: 'a redirect to the address behind the proxy',
    step: 'http',
    problem: 'redirect',
    advice: /Use http:\/\/127\.0\.0\.1:\d+\/mcp\/\. http:\/\/internal\.svc:8000 is the address of the server behind its proxy/,
    start: () =>
      at(
        serveHttp((request, response) => {
          if (request.url === '/mcp/') return oldServer()(request, response)
          response.writeHead(307, { location: 'http://internal.svc:8000/mcp/' }).end()
        }),
      ),
  },
  {
    name: 'a redirect to an internal address, where nothing answers',
    step: 'http',
    problem: 'redirect',
    advice: /cannot be reached from outside/,
    start: () => answer(307, { location: 'http://10.0.0.7:8000/mcp/' }),
  },
  {
    name: 'a redirect to a sign-in at another host',
    step: 'http',
    problem: 'redirect',
    advice: /for browsers/,
    start: () => answer(302, { location: 'https://login.example.com/start?id=1' }),
  },
  {
    name: 'a redirect to Cloudflare Access',
    step: 'http',
    problem: 'redirect',
    advice: /CF-Access-Client-Id/,
    start: () => answer(302, { location: 'https://team.cloudflareaccess.com/cdn-cgi/access/login/mcp.example.com' }),
  },
  ...[502, 503, 504].map((status) => ({
    name: `a page of a proxy with HTTP ${status}`,
    step: 'http' as const,
    problem: 'server-unavailable',
    advice: /server behind the proxy/,
    start: () => answer(status, { 'content-type': 'text/html' }, '<html><head><title>Gateway Time-out</title></head></html>'),
  })),
  {
    name: 'a bot challenge of Cloudflare',
    step: 'http',
    problem: 'bot-challenge',
    advice: /bot protection/,
    start: () =>
      answer(403, { 'content-type': 'text/html', 'cf-mitigated': 'challenge' }, '<!doctype html><title>Just a moment...</title>'),
  },
  {
    name: 'a Cloudflare tunnel without its program',
    step: 'http',
    problem: 'tunnel-offline',
    advice: /cloudflared/,
    start: () => answer(530, { 'content-type': 'text/html' }, '<!doctype html><title>Argo Tunnel error</title>error code: 1033'),
  },
  {
    name: 'a server that Cloudflare cannot reach',
    step: 'http',
    problem: 'server-unavailable',
    advice: /firewall/,
    start: () => answer(522, { 'content-type': 'text/html' }, '<!doctype html><title>522: Connection timed out</title>'),
  },
  {
    name: 'an ngrok tunnel that has ended',
    step: 'http',
    problem: 'tunnel-offline',
    advice: /tunnel is not running/,
    start: () => answer(404, { 'content-type': 'text/html', 'ngrok-error-code': 'ERR_NGROK_3200' }, '<!doctype html><p>offline'),
  },
  {
    name: 'an ngrok tunnel without its server',
    step: 'http',
    problem: 'tunnel-offline',
    advice: /nothing listens at its target/,
    start: () =>
      answer(502, { 'content-type': 'text/html', 'ngrok-error-code': 'ERR_NGROK_8012' }, '<!doctype html><p>no server'),
  },
  {
    name: 'a route that an API gateway does not have',
    step: 'http',
    problem: 'path-not-found',
    advice: /stage/,
    start: () => answer(403, { 'content-type': 'application/json' }, '{"message":"Missing Authentication Token"}'),
  },
  ...['400 The plain HTTP request was sent to HTTPS port', 'Client sent an HTTP request to an HTTPS server.'].map((text) => ({
    name: `http to a TLS port that answers "${text}"`,
    step: 'http' as const,
    problem: 'port-speaks-tls',
    advice: /^Use https:/,
    start: () => answer(400, { 'content-type': 'text/html' }, `<html><head><title>${text}</title></head></html>`),
  })),
  {
    name: 'a sign-in page of the platform that hosts the server',
    step: 'http',
    problem: 'platform-sign-in',
    advice: /protection of the deployment/,
    start: () => answer(401, { 'content-type': 'text/html' }, '<!doctype html><title>Authentication Required</title>'),
  },
  {
    name: 'a stream that a proxy holds back',
    step: 'http',
    problem: 'stream-buffered',
    advice: /proxy_buffering off/,
    start: async () => ({
      ...(await at(
        serveHttp((_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()),
      )),
      options: { stepTimeoutMs: 1000 },
    }),
  },
  ...[
    [
      406,
      'Not Acceptable: Client must accept both application/json and text/event-stream',
      'media-type-refused',
      /proxy.*Accept|Accept.*proxy/,
    ],
    [415, 'Unsupported Media Type', 'media-type-refused', /Content-Type: application\/json/],
    [403, 'Invalid Host: mcp.example.com', 'host-refused', /allowed hosts/],
    [503, 'Server is starting', 'server-unavailable', /is starting/],
  ].map(([status, message, problem, advice]) => ({
    name: `a JSON-RPC error with HTTP ${status}`,
    step: 'http' as const,
    problem: String(problem),
    advice: advice as RegExp,
    start: () =>
      answer(
        Number(status),
        { 'content-type': 'application/json' },
        JSON.stringify({ jsonrpc: '2.0', id: 'server-error', error: { code: -32000, message } }),
      ),
  })),
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
    name: 'one transport for all clients',
    step: 'era',
    problem: 'handshake-refused',
    advice: /for each session/,
    start: () =>
      answer(
        400,
        { 'content-type': 'application/json' },
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: Server already initialized"}}',
      ),
  },
  {
    name: 'two instances that do not share sessions',
    step: 'session',
    problem: 'several-instances',
    advice: /load balancer/,
    start: () => {
      const known = [new Set<string>(), new Set<string>()]
      let count = 0
      return old({
        intercept(request, response, message) {
          const sessions = known[count++ % 2] as Set<string>
          const id = request.headers['mcp-session-id']
          if (message['method'] === 'initialize') {
            const created = `session-${count}`
            sessions.add(created)
            const result = {
              protocolVersion: '2025-06-18',
              capabilities: { tools: {} },
              serverInfo: { name: 'old', version: '1' },
            }
            response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': created })
            response.end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], result }))
            return true
          }
          if (id === undefined || sessions.has(String(id))) return false
          json(response, 404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } })
          return true
        },
      })
    },
  },
  {
    name: 'a session ID that a proxy removes',
    step: 'session',
    problem: 'session-id-missing',
    advice: /Mcp-Session-Id/,
    start: () =>
      old({
        intercept(request, response, message) {
          if (message['method'] === 'initialize') {
            const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'old', version: '1' } }
            json(response, 200, { jsonrpc: '2.0', id: message['id'], result })
            return true
          }
          if (request.method !== 'POST' || message['method'] === 'server/discover') return false
          json(response, 400, {
            jsonrpc: '2.0',
            id: null,
            error: { code: -32000, message: 'Bad Request: Mcp-Session-Id header is required' },
          })
          return true
        },
      }),
  },
  {
    name: 'a version header that is refused',
    step: 'session',
    problem: 'version-header-refused',
    advice: /--protocol-version/,
    start: () =>
      old({
        intercept(request, response, message) {
          if (request.headers['mcp-protocol-version'] !== '2025-06-18') return false
          if (request.method !== 'POST') return false
          const text = 'Bad Request: Unsupported protocol version: 2025-06-18 (supported versions: 2024-11-05)'
          json(response, 400, { jsonrpc: '2.0', id: message['id'] ?? null, error: { code: -32600, message: text } })
          return true
        },
      }),
  },
  {
    name: 'a server without ping',
    step: 'session',
    problem: 'ping-refused',
    verdict: 'warning',
    start: () =>
      old({
        results: {
          ping: () => {
            throw new Error('Method not found')
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
    name: 'a path with a tilde',
    step: 'program',
    problem: 'program-not-found',
    says: /Only a shell expands ~\. Write the full path: \/.*\/bin\/no-such-server/,
    start: () => only({ command: '~/bin/no-such-server' }),
  },
  {
    name: 'a path with a variable',
    step: 'program',
    problem: 'program-not-found',
    says: /Only a shell expands \$\{TOOLS\}/,
    start: () => only({ command: '$' + '{TOOLS}/server' }),
  },
  {
    name: 'a line for a shell as the command',
    step: 'program',
    problem: 'program-not-found',
    says: /Start a shell: \{ command: 'sh'/,
    start: () => only({ command: 'cd /srv/notes && node server.js' }),
  },
  {
    name: 'a script that is not executable',
    step: 'program',
    problem: 'program-not-found',
    advice: /chmod \+x/,
    start: () => only({ command: fileURLToPath(import.meta.url) }),
  },
  ...PROGRAM_FAILURES.map(([name, output, says, advice]) => ({
    name: `a program that exits because of ${name}`,
    step: 'program' as const,
    problem: 'program-exited',
    says,
    advice,
    start: () => program(`process.stderr.write(${JSON.stringify(output)}); process.exitCode = 1`),
  })),
  {
    name: 'a program that loads for long, and then exits',
    step: 'program',
    problem: 'program-exited',
    says: /AttributeError: module 'mcp' has no attribute 'Server'/,
    start: async () => ({
      ...(await program(
        `setTimeout(() => { console.error("Traceback (most recent call last):\\nAttributeError: module 'mcp' has no attribute 'Server'"); process.exit(1) }, 2000)`,
      )),
      options: { stepTimeoutMs: 1500 },
    }),
  },
  {
    name: 'a program that starts slowly',
    step: 'program',
    problem: 'slow-start',
    verdict: 'warning',
    start: () => only({ command: process.execPath, args: [SLOW_SERVER, '6000'] }),
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
    start: async () => ({ ...(await program('setInterval(() => {}, 1000)')), options: { stepTimeoutMs: 1000 } }),
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
