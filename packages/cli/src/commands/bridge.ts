import type { ServerLike } from 'portcall'
import type { Middleware } from 'portcall/jsonrpc'
import { usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { readHeaderFlags, readVersionFlag } from '../command-line/flag-values.ts'
import { CONNECTION_FLAGS } from '../command-line/flags.ts'
import { GATEWAY_LISTEN_FLAGS, type ListenFlags } from '../gateway/listen.ts'
import { guardStdout, type Io, releaseStdout } from '../io.ts'
import type { ResolvedTarget } from '../target/config-file.ts'
import { nameOfTarget, resolveTarget } from '../target/resolve.ts'

const { port: _port, ...HTTP_FLAGS } = GATEWAY_LISTEN_FLAGS

const FLAGS = {
  http: { type: 'string', value: 'PORT', description: 'Serve over HTTP on this port instead of stdio (0: any free port)' },
  ...HTTP_FLAGS,
  'client-era': {
    type: 'string',
    value: 'ERA',
    description: 'With --http, accept only clients of the modern era (modern), or sessionless clients of both (stateless)',
  },
  header: CONNECTION_FLAGS.header,
  env: CONNECTION_FLAGS.env,
  cwd: CONNECTION_FLAGS.cwd,
  'protocol-version': { ...CONNECTION_FLAGS['protocol-version'], description: 'Use only this protocol version with the server' },
  verbose: { type: 'boolean', short: 'v', description: 'Show warnings and the stderr of the server' },
} as const

const CLIENT_ERAS: { readonly [name: string]: 'off' | 'stateless' } = { modern: 'off', stateless: 'stateless' }

/** `portcall bridge` */
export const bridgeCommand: Command = defineCommand({
  name: 'bridge',
  summary: 'Connect any host to any server',
  serverUse: 'locate',
  args: [],
  details: [
    'Makes a remote server available over stdio, for hosts that start programs, or a program available over HTTP with --http. The bridge negotiates the protocol version with each side separately, so hosts and servers of any version work together. For a server that requires authorization, sign in once with portcall login.',
  ],
  flags: FLAGS,
  examples: [
    'portcall bridge https://api.example.com/mcp',
    'portcall bridge .mcp.json:notes',
    'portcall bridge --http 3333 -- node server.js',
  ],
  async run({ server, flags, io }) {
    const legacy = flags['client-era'] === undefined ? undefined : CLIENT_ERAS[flags['client-era']]
    if (flags['client-era'] !== undefined && (legacy === undefined || flags.http === undefined))
      throw usageError(`--client-era must be one of ${Object.keys(CLIENT_ERAS).join(', ')}, and needs --http`)
    const resolved = await resolveTarget(server, flags)
    const bridged = await createBridge(resolved, { flags, io })
    if (flags.http !== undefined && resolved.target instanceof URL) void reportState(bridged).catch(() => {})
    return serveBridge(bridged, {
      resolved,
      io,
      flags: { ...flags, port: flags.http },
      http: flags.http,
      legacy,
    })
  },
})

/** Connects to the server, so that the bridge logs its state. A program starts when it is first needed: with the capabilities of its client. */
async function reportState(bridged: ServerLike): Promise<void> {
  const { connect } = await import('portcall/client')
  const client = await connect(bridged)
  await client.discover().finally(client.close)
}

/** The flags that a bridge reads. */
export interface BridgeValues {
  readonly header: readonly string[]
  readonly verbose: boolean
  readonly 'protocol-version'?: string | undefined
  readonly http?: string | undefined
  readonly 'insecure-no-auth'?: boolean
}

/** How to create a bridge. */
export interface BridgeContext {
  readonly flags: BridgeValues
  readonly io: Io
  /** Wraps the requests to the server. */
  readonly middleware?: readonly Middleware[]
}

/** Creates a bridge to a server. @throws CliError */
export async function createBridge(
  { target, headers }: ResolvedTarget,
  { flags, io, middleware }: BridgeContext,
): Promise<import('portcall/gateway').Gateway> {
  const { bridge } = await import('portcall/gateway')
  const { createActivity } = await import('../gateway/activity.ts')
  const { createStoredCredentials } = await import('../gateway/credentials.ts')
  const { VERSION } = await import('../version.ts')
  const version = await readVersionFlag(flags['protocol-version'])
  const isProgram = typeof target === 'object' && 'command' in target
  try {
    return bridge(isProgram ? { ...target, terminateWithParent: true } : target, {
      name: nameOfTarget({ target }),
      info: { name: 'portcall-bridge', version: VERSION, title: 'Portcall bridge' },
      sharing: 'shared',
      singleUser: flags.http === undefined || !flags['insecure-no-auth'],
      headers: { ...headers, ...readHeaderFlags(flags.header) },
      credentials: createStoredCredentials(),
      ...(version !== undefined && { protocolVersion: version }),
      onEvent: createActivity({ log: io.log, isVerbose: flags.verbose }).onEvent,
      ...(middleware && { middleware }),
    })
  } catch (error) {
    throw error instanceof TypeError ? usageError(error.message) : error
  }
}

/** How to serve a server of another process, or a recording. */
export interface ServeBridgeOptions {
  readonly resolved: ResolvedTarget
  readonly io: Io
  /** The port for HTTP. Default: stdio. */
  readonly http: string | undefined
  readonly flags?: ListenFlags
  readonly legacy?: 'off' | 'stateless' | undefined
}

/** Serves over stdio or HTTP until stdin or a signal ends it. */
export async function serveBridge(bridged: ServerLike, options: ServeBridgeOptions): Promise<void> {
  const { resolved, io, http } = options
  if (http !== undefined) return serveOverHttp(bridged, { ...options, http })
  process.exitCode = 0
  if (process.stdin.isTTY)
    io.log(`Serving ${nameOfTarget(resolved)} over stdio, for a host that starts this command. Press Ctrl-C to stop.`)
  const { serveStdio } = await import('portcall/stdio')
  releaseStdout()
  return serveStdio(bridged)
}

const NO_LISTEN_FLAGS: ListenFlags = {
  port: undefined,
  host: undefined,
  path: undefined,
  'allow-host': [],
  'allow-origin': [],
  'insecure-no-auth': false,
}

/** Serves until a signal ends the process. */
async function serveOverHttp(
  bridged: ServerLike,
  { io, flags = NO_LISTEN_FLAGS, http: port, legacy }: ServeBridgeOptions & { readonly http: string },
): Promise<void> {
  const { listenOverHttp } = await import('../gateway/listen.ts')
  const { untilSignal } = await import('../gateway/run.ts')
  const config = { settings: { admin: false as const, listen: legacy === undefined ? {} : { legacy } } }
  const listening = await listenOverHttp(bridged, { config, flags: { ...flags, port }, portFlag: 'http' })
  if (io.json) io.value({ url: listening.url })
  else io.line(`Listening at ${listening.url}`)
  guardStdout()
  return untilSignal(async () => {
    await listening.close()
    await bridged.close()
  }, io)
}
