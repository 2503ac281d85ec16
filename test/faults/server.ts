/**
 * The server under test: `node server.mjs '{"transport":"http"}'`. It uses only public entry points.
 * Over HTTP the first line on stdout is its URL. Events and errors are written to stderr.
 */
import { inspect } from 'node:util'
import { createServer, type ServerLimits, type ServerOptions } from 'portcall'
import { type ServeOptions, serve, workerNumber } from 'portcall/node'
import { type ServeStdioOptions, serveStdio } from 'portcall/stdio'
import { addCallTools } from './server/calls.ts'
import { addFaultyHandlers } from './server/faulty-handlers.ts'
import { addInputTools } from './server/input-requests.ts'
import { addNamedItems, type NamedItems } from './server/names.ts'
import { addOutputTools } from './server/output.ts'
import { addProbes } from './server/probes.ts'
import { addAuthTool, type ProtectionOptions, protectServer } from './server/protection.ts'
import { addResources } from './server/resources.ts'
import { throughGateway } from './server/through-gateway.ts'

/** The options of a test. */
export interface FaultsServerOptions {
  transport: 'http' | 'stdio'
  limits?: Partial<ServerLimits>
  pageSize?: number
  keys?: string[]
  names?: NamedItems
  /** Takes the principal from the header `x-user`. */
  users?: boolean
  /** Requires access tokens. */
  protection?: ProtectionOptions
  /** Adds faulty handlers; one of them breaks lists. */
  faultyHandlers?: boolean
  /** Makes the event listener throw. */
  throwingEventListener?: boolean
  http?: ServeOptions
  stdio?: ServeStdioOptions
}

const settings = JSON.parse(process.argv[2] ?? '{"transport":"stdio"}') as FaultsServerOptions
const {
  transport,
  limits,
  pageSize,
  keys: sealingKeys,
  names = {},
  users = false,
  faultyHandlers = false,
  throwingEventListener = false,
  protection,
} = settings

/** Over HTTP, the server has as many workers. */
const workers = transport === 'http' ? Number(process.env.FAULTS_WORKERS ?? 0) : 0

const options: ServerOptions = {
  ...(limits && { limits }),
  ...(pageSize !== undefined && { pageSize }),
  ...(sealingKeys && { sealingKeys }),
  onEvent(event) {
    if (throwingEventListener) throw new Error('The listener fails')
    console.error(`event ${inspect(event, { depth: 20 })}`)
  },
}
const server = createServer({ name: 'portcall-faults', version: '1.0.0' }, options)

addCallTools(server)
addOutputTools(server)
addInputTools(server)
addProbes(server, workers)
addResources(server)
addNamedItems(server, names)
if (faultyHandlers) addFaultyHandlers(server)
if (protection) addAuthTool(server)

/** The server, or the bridge in front of it. */
const served = await throughGateway(server, { upstream: process.env.FAULTS_UPSTREAM, sealingKeys })

if (transport === 'stdio') await serveStdio(served, settings.stdio)
else await listen()

async function listen(): Promise<void> {
  const authenticate: ServeOptions['authenticate'] = ({ header }) => ({ principal: header('x-user') ?? 'anonymous' })
  const onError = (error: unknown): void => console.error(`error ${inspect(error)}`)
  const protectionOptions = protection && (await protectServer(protection))
  const { url } = await serve(served, {
    port: 0,
    onError,
    ...(users && { authenticate }),
    ...protectionOptions,
    ...(workers > 0 && { workers }),
    ...settings.http,
  })
  if (workerNumber === undefined) console.log(url)
}
