/**
 * The server that the faults are sent to: `node server.mjs '{"door":"http"}'`. It is built on the public doors only.
 * Over HTTP the first line on stdout is its address; events and complaints go to stderr.
 */
import { inspect } from 'node:util'
import { createServer, type ServerLimits, type ServerOptions } from 'portcall'
import { type ServeOptions, serve } from 'portcall/node'
import { type ServeStdioOptions, serveStdio } from 'portcall/stdio'
import { addAskingTools } from './server/asking.ts'
import { addCallTools } from './server/calls.ts'
import { addAuthTool, type Guarding, guard } from './server/guarding.ts'
import { addNamedItems, type NamedItems } from './server/names.ts'
import { addOddHandlers } from './server/odd.ts'
import { addOutputTools } from './server/output.ts'
import { addProbes } from './server/probes.ts'
import { addResources } from './server/resources.ts'

/** What a test may choose. */
export interface ServerChoice {
  door: 'http' | 'stdio'
  limits?: Partial<ServerLimits>
  pageSize?: number
  keys?: string[]
  names?: NamedItems
  /** Takes the caller's principal from the header `x-user`. */
  users?: boolean
  /** Wants access tokens. */
  guarding?: Guarding
  /** Adds handlers that misbehave; one of them breaks lists. */
  odd?: boolean
  /** The listener for events throws. */
  deaf?: boolean
  http?: ServeOptions
  stdio?: ServeStdioOptions
}

const choice = JSON.parse(process.argv[2] ?? '{"door":"stdio"}') as ServerChoice
const { door, limits, pageSize, keys, names = {}, users = false, odd = false, deaf = false, guarding } = choice

const options: ServerOptions = {
  ...(limits && { limits }),
  ...(pageSize !== undefined && { pageSize }),
  ...(keys && { keys }),
  onEvent(event) {
    if (deaf) throw new Error('The listener fails')
    console.error(`event ${inspect(event, { depth: 20 })}`)
  },
}
const server = createServer({ name: 'portcall-faults', version: '1.0.0' }, options)

addCallTools(server)
addOutputTools(server)
addAskingTools(server)
addProbes(server)
addResources(server)
addNamedItems(server, names)
if (odd) addOddHandlers(server)
if (guarding) addAuthTool(server)

if (door === 'stdio') await serveStdio(server, choice.stdio)
else await listen()

async function listen(): Promise<void> {
  const authenticate: ServeOptions['authenticate'] = ({ header }) => ({ principal: header('x-user') ?? 'nobody' })
  const onError = (error: unknown): void => console.error(`error ${inspect(error)}`)
  const guarded = guarding && (await guard(guarding))
  const { url } = await serve(server, { port: 0, onError, ...(users && { authenticate }), ...guarded, ...choice.http })
  console.log(url)
}
