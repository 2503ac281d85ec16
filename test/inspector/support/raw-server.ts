import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import type { CertificateFixture } from '../../support/certificates.ts'

/** A listening fixture. */
export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** Listens on a free port of 127.0.0.1. */
async function listen(server: TcpServer): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Serves HTTP. */
export function serveHttp(handle: RequestListener): Promise<Listening> {
  return listen(createServer(handle))
}

/** Serves HTTPS. */
export function serveHttps(certificate: CertificateFixture, handle: RequestListener): Promise<Listening> {
  return listen(createTlsServer({ ...certificate }, handle) as unknown as TcpServer)
}

/** Serves bytes. */
export function serveTcp(handle: (socket: Socket) => void): Promise<Listening> {
  return listen(createTcpServer(handle))
}

/** Returns a port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const { port, close } = await serveTcp(() => {})
  await close()
  return port
}

type Json = Record<string, unknown>

/** The faults of a server of an older revision. */
export interface OldServerFaults {
  /** The results of methods; a function that throws responds with an error, `'hang'` never responds. */
  readonly results?: { readonly [method: string]: Json | 'hang' | (() => Json) }
  readonly version?: string
  readonly capabilities?: Json
  readonly contentType?: string
  /** Handles a request before everything else. Returns whether it did. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse, message: Json) => boolean
}

const TOOL = {
  name: 'search',
  description: 'Searches the notes',
  inputSchema: { type: 'object', properties: { query: { type: 'string', description: 'What to look for' } } },
  annotations: { readOnlyHint: true },
}

/** Creates the handler of a small server of an older revision, with one session and one fault. */
export function oldServer(faults: OldServerFaults = {}): RequestListener {
  const { version = '2025-06-18', capabilities = { tools: {} }, contentType = 'application/json' } = faults
  const results: OldServerFaults['results'] = {
    initialize: {
      protocolVersion: version,
      capabilities,
      serverInfo: { name: 'old', version: '1.0.0' },
      instructions: 'Use search.',
    },
    ping: {},
    'tools/list': { tools: [TOOL] },
    ...faults.results,
  }
  return async (request, response) => {
    const message = await readJson(request)
    if (faults.intercept?.(request, response, message)) return
    if (request.method === 'GET') return void response.writeHead(405, { allow: 'POST, DELETE' }).end()
    if (request.method === 'DELETE') return void response.writeHead(200).end()
    if (!('id' in message)) return void response.writeHead(202).end()
    const method = String(message['method'])
    const result = results[method]
    if (result === 'hang') return
    const session = method === 'initialize' ? { 'mcp-session-id': 'session-1' } : {}
    response.writeHead(200, { 'content-type': contentType, ...session })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...bodyOf(result, method) }))
  }
}

function bodyOf(result: Json | (() => Json) | undefined, method: string): Json {
  if (result === undefined) return { error: { code: -32601, message: `Method not found: ${method}` } }
  try {
    return { result: typeof result === 'function' ? result() : result }
  } catch (error) {
    return { error: { code: -32603, message: (error as Error).message } }
  }
}

async function readJson(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json
  } catch {
    return {}
  }
}
