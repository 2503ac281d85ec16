import { createServer, type ServerEvent } from 'portcall'
import { bearerToken } from 'portcall/auth/client'
import { type ConnectOptions, type ConnectTarget, connect } from 'portcall/client'
import { httpHandler } from 'portcall/http'
import { nodeHandler, type ServeOptions, serve } from 'portcall/node'
import { serveStdio } from 'portcall/stdio'
import { assertText, connectPair } from 'portcall/testing'
import { assertNodeVersion } from '../../packages/util/src/assert-node-version.ts'
import { moduleArgs, type Output, runModule, withHttp } from './programs.ts'
import { type Mistake, testMistakes } from './table.ts'

const OPTIONS: ServeOptions = { port: 0, handleProcessSignals: false }
const JSON_POST = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const createGreeter = () =>
  createServer({ name: 'greeter', version: '1' }, { onEvent() {} }).tool(
    'greet',
    { input: { type: 'object', properties: { name: { type: 'string' } } } as const },
    ({ name }) => `Hello, ${String(name)}`,
  )

/** Serves a server on a free port while `use` runs. */
async function served<T>(use: (url: string) => Promise<T>, options: ServeOptions = OPTIONS): Promise<T> {
  const { url, close } = await serve(createGreeter(), { ...OPTIONS, ...options })
  try {
    return await use(url)
  } finally {
    await close()
  }
}

/** Connects, which is expected to fail. */
async function failToConnect(target: unknown, options: ConnectOptions = {}): Promise<void> {
  const client = await connect(target as ConnectTarget, options)
  await client.close()
}

/** Connects to a program, given as the source of a module. */
const failToStart = (source: string, options?: ConnectOptions): Promise<void> =>
  failToConnect({ command: process.execPath, args: moduleArgs(source) }, options)

/** Sends a request without a client and returns the body of the response. */
const body = (url: string, init?: RequestInit): Promise<string> => fetch(url, init).then((response) => response.text())

/** Runs a server that talks to a client in the same program, or over stdin and stdout. Returns what it printed. */
const PING = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})}\n${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'fail', arguments: {} } })}\n`
const FAILING = `
  import { createServer } from 'portcall'
  const server = createServer({ name: 'failing', version: '1' })
  server.tool('fail', {}, async () => { throw new Error('The database is down') })
`

/** Requires that only messages were printed to stdout. Returns what was printed to stderr. */
function stderrOnly({ stdout, stderr }: Output): string {
  for (const line of stdout.split('\n').filter(Boolean)) JSON.parse(line)
  return stderr
}

const connecting: readonly Mistake[] = [
  {
    mistake: 'connect without a target',
    run: () => failToConnect(undefined),
    says: ['The target must be a URL, a { command }, a server, a Channel or an Exchange, not undefined'],
  },
  {
    mistake: 'connect to an empty URL, because a variable is not set',
    run: () => failToConnect(''),
    says: ['"" is not a URL', 'is a variable not set?'],
  },
  {
    mistake: 'a URL without http:',
    run: () => failToConnect('localhost:3000'),
    says: ['Did you mean http://localhost:3000/mcp?'],
  },
  {
    mistake: 'a host name with a path instead of a URL',
    run: () => failToConnect('api.example.com/v1/mcp'),
    says: ['"api.example.com/v1/mcp" is not a URL', 'Did you mean https://api.example.com/v1/mcp?'],
  },
  {
    mistake: 'the file of a server instead of a command',
    run: () => failToConnect('./server.js'),
    says: ['"./server.js" is not a URL', "Did you mean { command: 'node', args: ['./server.js'] }?"],
  },
  {
    mistake: 'a command as one string',
    run: () => failToConnect('npx -y weather-server'),
    says: ["Did you mean { command: 'npx', args: ['-y', 'weather-server'] }?"],
  },
  {
    mistake: 'a URL with another protocol',
    run: () => failToConnect('ws://127.0.0.1:3000/mcp'),
    says: ['must use http: or https:, not ws:'],
  },
  { mistake: 'a { url } object', run: () => failToConnect({ url: 'http://127.0.0.1/mcp' }), says: ['pass the URL itself'] },
  {
    mistake: 'a Promise of a server',
    run: () => failToConnect(Promise.resolve(createGreeter())),
    says: ['The target must be a URL', 'not a Promise: await it'],
  },
  {
    mistake: 'the transport class of another library',
    run: () => failToConnect(new (class StdioClientTransport {})()),
    says: ['The target must be a URL', 'not an instance of StdioClientTransport'],
  },
  {
    mistake: 'an unknown protocol version',
    run: () => served((url) => failToConnect(url, { protocolVersion: '2025-01-01' })),
    says: ['Unknown protocol version: "2025-01-01"', '2025-11-25', 'leave protocolVersion out'],
  },
  {
    mistake: 'the server is not running',
    run: async () => {
      const url = await served(async (url) => url)
      await failToConnect(url)
    },
    says: ['Could not connect to http://127.0.0.1:', '/mcp: the connection was refused. Is the server running', '(ECONNREFUSED)'],
  },
  {
    mistake: 'a misspelt host name',
    run: () => failToConnect('http://no-such-host.invalid/mcp'),
    says: ['Could not connect to http://no-such-host.invalid/mcp: the host name', 'Check its spelling'],
  },
  {
    mistake: 'https: for a server with http:',
    run: () => served((url) => failToConnect(url.replace('http:', 'https:'))),
    says: ['Could not connect to https://127.0.0.1:', 'Does the server use http: instead of https:?'],
  },
  {
    mistake: 'the URL without the path of the endpoint',
    run: () => served((url) => failToConnect(new URL('/', url))),
    says: ['Not found: the endpoint is at /mcp. Connect to http://127.0.0.1:', '/mcp instead of http://127.0.0.1:'],
  },
  {
    mistake: 'the URL of a web server',
    run: () =>
      withHttp(
        (_request, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html>'),
        (origin) => failToConnect(`${origin}/api`),
      ),
    says: ['HTTP 404', 'Check the path; most servers use http://127.0.0.1:', '/mcp'],
  },
  {
    mistake: 'the URL of a web page',
    run: () =>
      withHttp(
        (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><html></html>'),
        (origin) => failToConnect(`${origin}/`),
      ),
    says: ['text/html, which is not an MCP message', 'Check the path; most servers use http://127.0.0.1:'],
  },
  ...(
    [
      ['a limit of requests', 429, 'application/json', 'The server limits how many requests it takes: try again later'],
      ['a proxy without its server', 502, 'text/html', 'Try again later, or look for the reason in the log of the server'],
      [
        'a server that is overloaded',
        503,
        'application/json',
        'Try again later, or look for the reason in the log of the server',
      ],
      ['a firewall', 403, 'text/html', 'A proxy or firewall in front of the server refused the request'],
    ] as const
  ).map(([what, status, type, text]) => ({
    mistake: `${what}, with HTTP ${status}`,
    run: () =>
      withHttp(
        (_request, response) => void response.writeHead(status, { 'content-type': type }).end(),
        (origin) => failToConnect(`${origin}/mcp`),
      ),
    says: [`HTTP ${status}`, text],
  })),
  {
    mistake: 'no token for a protected server',
    run: () =>
      withHttp(
        (_request, response) => void response.writeHead(401).end(),
        (origin) => failToConnect(`${origin}/mcp`),
      ),
    says: ['HTTP 401', 'connect(url, { auth: bearerToken(() => token) })', 'portcall/auth/client'],
  },
  {
    mistake: 'a wrong token',
    run: () =>
      withHttp(
        (_request, response) => void response.writeHead(401).end(),
        (origin) => failToConnect(`${origin}/mcp`, { auth: bearerToken(() => 'expired') }),
      ),
    says: ['HTTP 401', 'refused the token that auth sent'],
  },
  {
    mistake: 'a server that does not respond',
    run: () =>
      withHttp(
        () => {},
        (origin) => failToConnect(`${origin}/mcp`, { connectTimeoutMs: 200 }),
      ),
    says: ['received no response within 200 ms (connectTimeoutMs)'],
  },
]

const programs: readonly Mistake[] = [
  {
    mistake: 'arguments in the command',
    run: () => failToConnect({ command: 'node server.js --port 3000' }),
    says: ['Cannot start "node server.js --port 3000"', "{ command: 'node', args: ['server.js', '--port', '3000'] }"],
  },
  {
    mistake: 'a program that is not installed',
    run: () => failToConnect({ command: 'no-such-program-here' }),
    says: ['Cannot start "no-such-program-here": no such program in PATH', 'Use the full path'],
  },
  {
    mistake: 'a command that is not a string',
    run: () => failToConnect({ command: ['node', 'server.js'] }),
    says: ["command must be a string: connect({ command: 'node', args: ['server.js'] })"],
  },
  {
    mistake: 'a program that fails at start-up',
    run: () => failToStart("throw new Error('API_KEY is not set')"),
    says: ['exited with code 1', 'Its last output on stderr', 'API_KEY is not set'],
  },
  {
    mistake: 'a program that is not a server and exits',
    run: () => failToStart("console.log('Usage: tool [options]')"),
    says: ['exited with code 0', 'It printed this to stdout, where only messages are allowed', 'Usage: tool [options]'],
  },
  {
    mistake: 'a program that is not a server and keeps running',
    run: () => failToStart("console.log('Listening on port 3000'); setInterval(() => {}, 1000)", { connectTimeoutMs: 1500 }),
    says: ['within 1500 ms (connectTimeoutMs)', 'print with console.error instead', 'Listening on port 3000'],
  },
]

const calling: readonly Mistake[] = [
  {
    mistake: 'callTool with one object, as in the official SDK',
    run: async () => (await connectPair(createGreeter())).callTool({ name: 'greet', arguments: { name: 'Ada' } } as never),
    says: ['callTool(name, arguments): the first argument must be a string'],
  },
  {
    mistake: 'readResource with one object',
    run: async () => (await connectPair(createGreeter())).readResource({ uri: 'memo://1' } as never),
    says: ['readResource(uri): the first argument must be a string'],
  },
  {
    mistake: 'getPrompt with one object',
    run: async () => (await connectPair(createGreeter())).getPrompt({ name: 'review' } as never),
    says: ['getPrompt(name, arguments): the first argument must be a string'],
  },
  {
    mistake: 'an unknown tool',
    run: async () => (await connect(createGreeter())).callTool('great' as never),
    says: ['Unknown tool: great'],
  },
  {
    mistake: 'a tool that takes longer than the timeout of the client',
    run: async () => {
      const server = createServer({ name: 'slow', version: '1' }).tool('wait', {}, () => new Promise<string>(() => {}))
      const client = await connect(server)
      await client.callTool('wait', {}, { timeouts: { requestTimeoutMs: 50 } })
    },
    says: ['tools/call received no response within 50 ms (timeouts.requestTimeoutMs)'],
  },
  {
    mistake: 'a client that was closed',
    run: async () => {
      const client = await connectPair(createGreeter(), { transport: 'http' })
      await client.close()
      await client.callTool('greet', { name: 'Ada' })
    },
    says: ['The client was closed', 'connect() again'],
  },
]

const serving: readonly Mistake[] = [
  {
    mistake: 'serve without a server',
    run: () => serve(undefined as never),
    says: ['serve() needs the server that createServer()', 'not undefined'],
  },
  {
    mistake: 'serve with options only',
    run: () => serve({ port: 3000 } as never),
    says: ['serve() needs the server', 'not Object'],
  },
  {
    mistake: 'serve with the server of another library',
    run: () => serve(new (class McpServer {})() as never),
    says: ['serve() needs the server that createServer() returned, not McpServer'],
  },
  {
    mistake: 'httpHandler without a server',
    run: () => httpHandler(undefined as never),
    says: ['httpHandler() needs the server'],
  },
  {
    mistake: 'nodeHandler without a server',
    run: () => nodeHandler(undefined as never),
    says: ['nodeHandler() needs the server'],
  },
  { mistake: 'serveStdio without a server', run: () => serveStdio(undefined as never), says: ['serveStdio() needs the server'] },
  {
    mistake: 'a port that is in use',
    run: () => served((url) => serve(createGreeter(), { ...OPTIONS, port: Number(new URL(url).port) })),
    says: ['on 127.0.0.1 is already in use', 'pass another port', 'Port 0 picks a free one'],
  },
  {
    mistake: 'a port from a variable that is not set',
    run: () => serve(createGreeter(), { ...OPTIONS, port: Number(undefined) }),
    says: ['port must be a number from 0 to 65535, not NaN'],
  },
  {
    mistake: 'an address of another machine',
    run: () => serve(createGreeter(), { ...OPTIONS, host: '203.0.113.7', allowedHosts: ['api.example.com'] }),
    says: ['203.0.113.7 is not an address of this machine', "'0.0.0.0' for all addresses"],
  },
  {
    mistake: 'all addresses without allowedHosts',
    run: () => serve(createGreeter(), { ...OPTIONS, host: '0.0.0.0' }),
    says: ['Listening on 0.0.0.0 requires the host names', "allowedHosts: ['api.example.com']"],
  },
  {
    mistake: 'a path without a slash',
    run: () => serve(createGreeter(), { ...OPTIONS, path: 'mcp' }),
    says: ["path must start with a slash: '/mcp'"],
  },
  {
    mistake: 'a URL in allowedHosts',
    run: () => httpHandler(createGreeter(), { allowedHosts: ['https://api.example.com'] }),
    says: ['allowedHosts: "https://api.example.com" is not a host name', "'api.example.com'"],
  },
  {
    mistake: 'allowedHosts that is not an array',
    run: () => httpHandler(createGreeter(), { allowedHosts: 'api.example.com' as never }),
    says: ['allowedHosts must be an array of strings, such as ["api.example.com"]'],
  },
  {
    mistake: 'a host name in allowedOrigins',
    run: () => httpHandler(createGreeter(), { allowedOrigins: ['app.example.com'] }),
    says: ['allowedOrigins: "app.example.com" is not an origin', "'https://app.example.com'"],
  },
  {
    mistake: 'a host that is not in allowedHosts',
    run: () =>
      httpHandler(createGreeter())(new Request('https://api.example.com/mcp', { method: 'POST' })).then((one) => one.text()),
    says: ['the host api.example.com is not allowed', 'allowedHosts'],
  },
  {
    mistake: 'a web page that is not in allowedOrigins',
    run: () => served((url) => body(url, { method: 'POST', headers: { origin: 'https://app.example.com' } })),
    says: ['the origin https://app.example.com is not allowed', 'allowedOrigins'],
  },
  {
    mistake: 'a POST without a version',
    run: () =>
      served((url) => body(url, { method: 'POST', headers: JSON_POST, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })),
    says: ['send an initialize request first', 'Mcp-Session-Id', 'MCP-Protocol-Version: 2026-07-28'],
  },
  {
    mistake: 'the endpoint opened in a browser',
    run: () => served((url) => body(url, { headers: { accept: 'text/html' } })),
    says: ['this is an MCP endpoint', 'Connect an MCP client'],
  },
  {
    mistake: 'a port that is not served with HTTP 404',
    run: () => served((url) => body(new URL('/other', url).href)),
    says: ['Not found: the endpoint is at /mcp'],
  },
  {
    mistake: 'serveStdio called twice',
    run: () =>
      runModule(`${FAILING} import { serveStdio } from 'portcall/stdio'; serveStdio(server); await serveStdio(server)`).then(
        ({ stderr }) => stderr,
      ),
    says: ['stdin and stdout of this process are already in use'],
  },
  {
    mistake: 'an old version of Node',
    run: () => assertNodeVersion({ process: { versions: { node: '18.20.4' } } }),
    says: ['Portcall requires Node.js 20.19 or later', 'This is Node.js 18.20.4'],
  },
]

const handling: readonly Mistake[] = [
  {
    mistake: 'a tool that throws, under serve, without onEvent',
    run: async () => {
      const { stdout, stderr } = await runModule(`${FAILING}
        import { serve } from 'portcall/node'
        import { connect } from 'portcall/client'
        const { url, close } = await serve(server, { port: 0 })
        const client = await connect(url)
        console.log((await client.callTool('fail')).content[0].text)
        await client.close()
        await close()
      `)
      const reference = /^The tool failed\. Reference: ([0-9a-f]{8})\n$/.exec(stdout)?.[1]
      return stderr.replaceAll(String(reference), 'THE SAME REFERENCE')
    },
    says: ['[portcall] tools/call fail (reference THE SAME REFERENCE): Error: The database is down\n    at '],
  },
  {
    mistake: 'a tool that throws, under serveStdio, without onEvent',
    run: () => runModule(`${FAILING} import { serveStdio } from 'portcall/stdio'; serveStdio(server)`, PING).then(stderrOnly),
    says: ['[portcall] tools/call fail (reference ', 'Error: The database is down\n    at '],
  },
  {
    mistake: 'a tool that throws, in a test',
    run: async () => {
      const server = createServer({ name: 'test', version: '1' }, { onEvent() {} })
      const client = await connectPair(server.tool('fail', {}, () => Promise.reject<string>(new Error('The database is down'))))
      assertText(await client.callTool('fail'), 'saved')
    },
    says: ['The tool call failed', 'Caused by Error: The database is down'],
  },
  {
    mistake: 'console.log in a server over stdio',
    run: () =>
      runModule(
        `${FAILING} import { serveStdio } from 'portcall/stdio'; serveStdio(server); console.log('ready'); console.info('set')`,
        PING,
      ).then(stderrOnly),
    says: ['Stdout is reserved for messages to the client', 'Use console.error instead of console.log', 'ready\nset\n'],
  },
  {
    mistake: 'console.log before serveStdio',
    run: () =>
      runModule(`${FAILING} import { serveStdio } from 'portcall/stdio'; console.log('starting'); serveStdio(server)`, PING).then(
        ({ stderr }) => stderr,
      ),
    says: ['something was written to stdout before the server started', 'Use console.error instead of console.log'],
  },
  {
    mistake: 'a forgotten await before call.elicit',
    run: async () => {
      const warnings: string[] = []
      const onEvent = (event: ServerEvent): void => void (event.type === 'warning' && warnings.push(event.message))
      const server = createServer({ name: 'test', version: '1' }, { onEvent })
      server.tool('ask', {}, (_args, call) => {
        void call.elicit('Which city?', { type: 'object', properties: { city: { type: 'string' } } } as const)
        return 'done'
      })
      const client = await connectPair(server, { elicit: async () => ({ city: 'Oslo' }) })
      await client.callTool('ask')
      return warnings.join('\n')
    },
    says: ['The tool "ask" returned before its input request', 'await call.elicit(…)'],
  },
  {
    mistake: 'a result that does not match the output schema',
    run: async () => {
      const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const
      const server = createServer({ name: 'test', version: '1' }, { onEvent() {} })
      const client = await connectPair(server.tool('add', { output }, () => ({ total: 3 }) as never))
      assertText(await client.callTool('add'), '3')
    },
    says: ['Caused by InvalidOutputError: The structured content does not match the output schema', 'sum'],
  },
  {
    mistake: 'middleware that throws',
    run: async () => {
      const server = createGreeter().use(() => Promise.reject(new Error('No tenant')))
      const client = await connectPair(server)
      const error = (await client.callTool('greet', { name: 'Ada' }).catch((reason: unknown) => reason)) as Error
      return `${error.message}: ${String(error.cause)}`
    },
    says: ['Internal error. Reference: ', 'Error: No tenant'],
  },
]

testMistakes('connecting to a URL', connecting)
testMistakes('starting a program', programs)
testMistakes('using a client', calling)
testMistakes('serving', serving)
testMistakes('errors of handlers', handling)
