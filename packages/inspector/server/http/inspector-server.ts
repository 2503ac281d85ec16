import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ServerLike } from 'portcall'
import { explainListenError } from '../../../portcall/src/transports/http/server/node/listen-error.ts'
import { answerSafely } from '../../../util/src/answer-safely.ts'
import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { createBackend, type InspectorBackend } from '../backend.ts'
import type { BackendOptions } from '../core-parts.ts'
import { type Access, createAccess } from './access.ts'
import { createAssets } from './assets.ts'
import { createEventStreams } from './event-stream.ts'
import { createInspectorRequestHandler, type InspectorRequestHandler } from './handler.ts'

const GRACE_MS = 30_000

/** Options of `serveInspector`. */
export interface InspectorServerOptions extends BackendOptions {
  /** The port to listen on; 0 for any free port. Default: 0. */
  readonly port?: number
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string
  /** Names of this machine, if it listens on another address than loopback. */
  readonly allowedHosts?: readonly string[]
  /** How long programs run after the last page was closed, in milliseconds. Default: 30,000. */
  readonly graceMs?: number
  /** The folder with the files of the page. Default: the one of this package. */
  readonly assets?: string
}

const SHARED_NAMES: OptionNames<Pick<InspectorServerOptions, 'allowedHosts' | 'graceMs' | 'assets'>> = {
  allowedHosts: 'texts',
  graceMs: GRACE_MS,
  assets: 'nonempty',
}
const SERVER_NAMES: OptionNames<InspectorServerOptions> = {
  ...SHARED_NAMES,
  info: 'object',
  loaders: 'object',
  sources: 'object',
  writeHostEntry: 'function',
  directory: 'nonempty',
  port: 'number',
  host: 'nonempty',
}

/** An inspector that is listening. */
export interface ListeningInspector {
  /** The address of the page, without the token. */
  readonly url: string
  /** The back end: carries out commands without the page. */
  readonly backend: InspectorBackend
  /** Returns a link that opens the page once. Earlier links are dead. */
  newLink(): string
  /** Ends all programs and connections. */
  close(): Promise<void>
}

/** The page is next to the script of this module. */
const ASSETS = fileURLToPath(new URL('./inspector/page/', import.meta.url))

/** Serves the inspector. @throws Error if the page is missing, or the port is in use. */
export async function serveInspector(options: InspectorServerOptions): Promise<ListeningInspector> {
  checkOptions('serveInspector()', options, { names: SERVER_NAMES, required: { info: 'Name the inspector, as servers see it' } })
  const { port = 0, host = '127.0.0.1' } = options
  let url = ''
  const access = createAccess({ basePath: '/', ...(options.allowedHosts && { allowedHosts: options.allowedHosts }) })
  const parts = createParts({ ...options, access, basePath: '/', origin: () => url })
  const server = createServer((request, response) => {
    answerSafely(response, () => parts.handle(request, response))
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, { host, port }))).listen(port, host, resolve)
  })
  const bound = server.address() as AddressInfo
  url = `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}/`
  return {
    url,
    backend: parts.backend,
    newLink: () => `${url}open/${access.newToken()}`,
    async close() {
      await parts.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

interface PartsOptions extends InspectorServerOptions {
  readonly access: Access
  readonly basePath: string
  readonly origin: () => string
}

interface Parts {
  readonly handle: InspectorRequestHandler
  readonly backend: InspectorBackend
  close(): Promise<void>
}

function createParts({ access, basePath, origin, graceMs = GRACE_MS, assets, ...options }: PartsOptions): Parts {
  const files = createAssets(assets ?? ASSETS)
  const backend = createBackend(options, origin)
  let timer: NodeJS.Timeout | undefined
  const stopPrograms = (): void => {
    for (const server of backend.servers.all) if (server.state.pid !== undefined) void server.disconnect().catch(() => {})
  }
  const streams = createEventStreams(backend, (count) => {
    clearTimeout(timer)
    if (count === 0) timer = setTimeout(stopPrograms, graceMs).unref()
  })
  return {
    backend,
    handle: createInspectorRequestHandler({ backend, access, assets: files, streams, basePath }),
    async close() {
      clearTimeout(timer)
      streams.closeAll()
      await backend.close()
    },
  }
}

/** Options of `inspectorHandler`. */
export interface InspectorHandlerOptions extends Pick<InspectorServerOptions, 'allowedHosts' | 'graceMs' | 'assets'> {
  /** The path that the inspector is mounted at. Default: `/inspector`. */
  readonly path?: string
  /** True to serve it although `NODE_ENV` is `production`. Default: false. */
  readonly inProduction?: boolean
}

const HANDLER_NAMES: OptionNames<InspectorHandlerOptions> = { ...SHARED_NAMES, path: 'nonempty', inProduction: 'boolean' }

/** A handler of the inspector for an existing HTTP server. */
export interface InspectorHandler {
  /** Answers the requests below its path. Calls `next`, or responds with 404, for others. */
  (request: IncomingMessage, response: ServerResponse, next?: () => void): void
  /** Returns a link that opens the page once, for the origin of your server: `http://localhost:3000`. */
  link(origin: string): string
  /** Ends all programs and connections. */
  close(): Promise<void>
}

/**
 * Mounts the inspector in a development server, connected to your own server in memory: `app.use(inspectorHandler(server))`, or
 * `createServer(inspectorHandler(server))`. Print `handler.link('http://localhost:3000')`: without that link, nobody gets in. In production
 * it responds with 404.
 */
export function inspectorHandler(server: ServerLike, options: InspectorHandlerOptions = {}): InspectorHandler {
  checkOptions('inspectorHandler()', options, { names: HANDLER_NAMES })
  const { path = '/inspector', inProduction = false, allowedHosts, ...others } = options
  const isOff = process.env.NODE_ENV === 'production' && !inProduction
  const basePath = `/${path.replace(/^\/+|(?<!\/)\/+$/g, '')}/`.replace('//', '/')
  const access = createAccess({ basePath, ...(allowedHosts && { allowedHosts }) })
  let origin = ''
  let parts: Promise<Parts> | undefined
  const start = async (): Promise<Parts> => {
    const { version = '0', name } = (server as { info?: { name?: string; version?: string } }).info ?? {}
    const info = { name: 'portcall-inspector', version }
    const created = createParts({
      info,
      access,
      loaders: { embedded: server },
      basePath,
      origin: () => origin + basePath,
      ...others,
    })
    const own = await created.backend.servers.add({ target: { kind: 'embedded' }, ...(name !== undefined && { name }) })
    await own.connect(true)
    return created
  }
  const handler = (request: IncomingMessage, response: ServerResponse, next?: () => void): void => {
    const pass = (): void => void (next ? next() : response.writeHead(404).end())
    if (isOff) return pass()
    parts ??= start()
    const starting = parts
    answerSafely(response, async () => {
      const { handle } = await starting
      if (!(await handle(request, response))) pass()
    })
  }
  return Object.assign(handler, {
    link(of: string) {
      origin = of.replace(/\/$/, '')
      return `${origin}${basePath}open/${access.newToken()}`
    },
    async close() {
      await (await parts)?.close()
    },
  })
}
