import { pathToFileURL } from 'node:url'
import type { LoggingLevel } from 'portcall'
import {
  type Client,
  type ClientEvent,
  type ClientExtension,
  type ConnectOptions,
  connect,
  type ExtensionApis,
} from 'portcall/client'
import type { ClientEvents } from 'portcall/events/client'
import type { ClientTasks } from 'portcall/tasks/client'
import { usageError } from '../cli-error.ts'
import type { Invocation } from '../command.ts'
import { readHeaderFlags, readSecondsFlag, readVersionFlag } from '../command-line/flag-values.ts'
import type { ConnectionValues } from '../command-line/flags.ts'
import type { Io } from '../io.ts'
import { VERSION } from '../version.ts'
import { nameOfTarget, resolveTarget } from './resolve.ts'
import { watchConnection } from './slow-connection.ts'
import { createUnavailableServers, type UnavailableServers } from './unavailable-servers.ts'

/** The part of an invocation that describes a connection. */
export type ConnectionInvocation = Pick<Invocation, 'server' | 'io'> & {
  readonly flags: unknown
  /**
   * Handlers for elicitations that neither an option nor a terminal can answer, without which the capability is not declared; what sends HTTP
   * requests, and what observes the wire.
   */
  readonly fallbackHandlers?: Pick<ConnectOptions, 'elicit' | 'elicitUrl' | 'fetch' | 'wire'>
  /** Capabilities to declare besides those of the handlers. */
  readonly capabilities?: ConnectOptions['capabilities']
}

/** A client with the tasks extension. */
export type TasksClient = Client & { readonly tasks: ClientTasks }

/** A client with the events extension. */
export type EventsClient = Client & { readonly events: ClientEvents }

/** Connects to the server of the command line, calls `use`, and closes the connection. */
export function withClient<T>(
  invocation: ConnectionInvocation,
  use: (client: Client, unavailable: UnavailableServers) => Promise<T>,
): Promise<T> {
  return withExtensions({ ...invocation, extensions: [] }, use)
}

/** Does the same with all capabilities, so that the server lists all that it offers. The connection is not for calls. */
export async function withLister<T>(
  invocation: Omit<ConnectionInvocation, 'capabilities'>,
  use: (client: Client, unavailable: UnavailableServers) => Promise<T>,
): Promise<T> {
  const { ALL_CAPABILITIES: capabilities } = await import('portcall/diagnostics')
  return withClient({ ...invocation, capabilities }, use)
}

/** Does the same with the tasks extension. */
export async function withTasksClient<T>(invocation: ConnectionInvocation, use: (client: TasksClient) => Promise<T>): Promise<T> {
  const { tasks } = await import('portcall/tasks/client')
  return withExtensions({ ...invocation, extensions: [tasks({ listen: true })] }, use)
}

/** Does the same with the events extension. */
export async function withEventsClient<T>(
  invocation: ConnectionInvocation,
  use: (client: EventsClient) => Promise<T>,
): Promise<T> {
  const { events } = await import('portcall/events/client')
  return withExtensions({ ...invocation, extensions: [events()] }, use)
}

async function withExtensions<const E extends readonly ClientExtension[], T>(
  invocation: ConnectionInvocation & { readonly extensions: E },
  use: (client: Client & ExtensionApis<E>, unavailable: UnavailableServers) => Promise<T>,
): Promise<T> {
  const flags = invocation.flags as ConnectionValues
  const { target, headers } = await resolveTarget(invocation.server, flags)
  const { io } = invocation
  const options = await readConnectOptions(flags, io)
  const opening = watchConnection(nameOfTarget({ target }), io)
  const client = await connect(target, {
    ...invocation.fallbackHandlers,
    ...(invocation.capabilities && { capabilities: invocation.capabilities }),
    ...options,
    onStderr(text) {
      opening.onStderr(text)
      if (flags.verbose) io.log(text.trimEnd().split('\n'))
    },
    onEvent(event) {
      opening.onEvent(event)
      logEvent(event, flags, io)
    },
    extensions: invocation.extensions,
    headers: { ...headers, ...readHeaderFlags(flags.header) },
    ...(target instanceof URL && (await storedAuth(target))),
  })
    .catch((error: unknown) => {
      opening.explain(error)
      throw error instanceof TypeError ? usageError(error.message) : error
    })
    .finally(opening.end)
  const unavailable = createUnavailableServers(io)
  client.use(unavailable.middleware)
  if (flags.record !== undefined) {
    const { openRecordingFile } = await import('../sessions/recording-file.ts')
    client.use(await openRecordingFile(flags.record))
  }
  try {
    return await use(client, unavailable)
  } finally {
    await client.close()
  }
}

/** @throws CliError that names an invalid option. */
async function readConnectOptions(flags: ConnectionValues, io: Io): Promise<ConnectOptions> {
  const { createInputHandlers } = await import('../elicitation/handlers.ts')
  const protocolVersion = await readVersionFlag(flags['protocol-version'])
  return {
    info: { name: 'portcall', version: VERSION, title: 'Portcall' },
    signal: io.signal,
    ...createInputHandlers(flags.answer, io),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(flags.timeout !== undefined && readTimeouts(flags.timeout)),
    ...(flags.root.length > 0 && { roots: flags.root.map((path) => ({ uri: pathToFileURL(path).href })) }),
    ...(flags.log !== undefined && { logLevel: await readLevel(flags.log) }),
  }
}

/** Returns a provider for the tokens of `portcall login`, if there are any. */
async function storedAuth(url: URL): Promise<Pick<ConnectOptions, 'auth'>> {
  const { storedProvider } = await import('../login/stored-login.ts')
  const auth = await storedProvider(url)
  return auth ? { auth } : {}
}

function readTimeouts(text: string): Pick<ConnectOptions, 'timeouts' | 'connectTimeoutMs'> {
  const ms = readSecondsFlag('timeout', text)
  return { timeouts: { requestTimeoutMs: ms, totalTimeoutMs: Math.max(ms, 600_000) }, connectTimeoutMs: ms }
}

async function readLevel(text: string): Promise<LoggingLevel> {
  const { LOGGING_LEVELS } = await import('portcall')
  const level = LOGGING_LEVELS.find((name) => name === text)
  if (!level) throw usageError(`--log must be one of ${LOGGING_LEVELS.join(', ')}, not ${text}`)
  return level
}

function logEvent(event: ClientEvent, { verbose, log }: ConnectionValues, io: Io): void {
  if (event.type === 'log' && log !== undefined) {
    const { level, logger, data } = event
    io.log(`${level}${logger ? ` ${logger}` : ''}: ${typeof data === 'string' ? data : JSON.stringify(data)}`)
  }
  if (event.type === 'warning' && (verbose || event.method?.endsWith('/list'))) io.log(`warning: ${event.message}`)
  if (event.type === 'output-mismatch')
    io.log(
      `warning: the result of ${event.tool} does not match its output schema: ${event.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`).join('; ')}`,
    )
  if (!verbose) return
  if (event.type === 'unexpected-message') io.log(`${event.kind}: ${event.text}`)
  if (event.type === 'disconnected') io.log(`disconnected: ${String(event.error)}`)
  if (event.type === 'reconnected') io.log('reconnected')
}
