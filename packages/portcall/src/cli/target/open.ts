import { pathToFileURL } from 'node:url'
import {
  type Client,
  type ClientEvent,
  type ClientExtension,
  type ConnectOptions,
  connect,
  type MembersOf,
} from '../../client.ts'
import type { LoggingLevel } from '../../index.ts'
import type { ClientTasks } from '../../tasks-client.ts'
import type { Given } from '../command.ts'
import type { ConnectionValues } from '../grammar/flags.ts'
import { readHeaders } from '../grammar/headers.ts'
import type { Io } from '../io.ts'
import { misused } from '../stop.ts'
import { VERSION } from '../version.ts'
import { resolveTarget } from './resolve.ts'

/** What a command with a server gets. */
export type Connected = Pick<Given, 'target' | 'io'> & {
  readonly flags: unknown
  /** How servers are answered where nobody can be asked; without it they are told so. */
  readonly answers?: Pick<ConnectOptions, 'elicit' | 'elicitUrl'>
}

/** A client that knows tasks. */
export type TasksClient = Client & { readonly tasks: ClientTasks }

/** Connects to the server of a command line, uses it, and closes the connection whatever happens. */
export function withClient<T>(given: Connected, use: (client: Client) => Promise<T>): Promise<T> {
  return withExtensions({ ...given, extensions: [] }, use)
}

/** The same, with a client that knows tasks. */
export async function withTasks<T>(given: Connected, use: (client: TasksClient) => Promise<T>): Promise<T> {
  const { tasks } = await import('../../tasks-client.ts')
  return withExtensions({ ...given, extensions: [tasks({ listen: true })] }, use)
}

async function withExtensions<const E extends readonly ClientExtension[], T>(
  given: Connected & { readonly extensions: E },
  use: (client: Client & MembersOf<E>) => Promise<T>,
): Promise<T> {
  const flags = given.flags as ConnectionValues
  const { target, headers } = await resolveTarget(given.target, flags)
  const options = await optionsOf(flags, given.io)
  const client = await connect(target, {
    ...given.answers,
    ...options,
    extensions: given.extensions,
    headers: { ...headers, ...readHeaders(flags.header) },
    ...(target instanceof URL && (await loggedIn(target))),
  }).catch((error: unknown) => {
    throw error instanceof TypeError ? misused(error.message) : error
  })
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

/** What the flags say about a connection. @throws Stop that names the flag. */
async function optionsOf(flags: ConnectionValues, io: Io): Promise<ConnectOptions> {
  const { answersFor } = await import('../ask/answers.ts')
  return {
    info: { name: 'portcall', version: VERSION, title: 'Portcall' },
    signal: io.signal,
    ...answersFor(flags.answer, io),
    ...(flags.revision !== undefined && { revision: flags.revision }),
    ...(flags.timeout !== undefined && patience(flags.timeout)),
    ...(flags.root.length > 0 && { roots: flags.root.map((path) => ({ uri: pathToFileURL(path).href })) }),
    ...(flags.log !== undefined && { logLevel: await readLevel(flags.log) }),
    ...(flags.verbose && { onStderr: (text: string) => io.talk(text.trimEnd()) }),
    onEvent: (event) => tellEvent(event, flags, io),
  }
}

/** Tokens of `portcall login`, where there are any. */
async function loggedIn(url: URL): Promise<Pick<ConnectOptions, 'auth'>> {
  const { storedProvider } = await import('../login/provider.ts')
  const auth = await storedProvider(url)
  return auth ? { auth } : {}
}

function patience(text: string): Pick<ConnectOptions, 'deadlines' | 'openMs'> {
  const ms = Number(text) * 1000
  if (!(ms > 0)) throw misused(`--timeout needs a number of seconds, not ${text}`)
  return { deadlines: { requestMs: ms, totalMs: Math.max(ms, 600_000) }, openMs: ms }
}

async function readLevel(text: string): Promise<LoggingLevel> {
  const { LOGGING_LEVELS } = await import('../../index.ts')
  const level = LOGGING_LEVELS.find((one) => one === text)
  if (!level) throw misused(`--log needs one of ${LOGGING_LEVELS.join(', ')}, not ${text}`)
  return level
}

function tellEvent(event: ClientEvent, { verbose, log }: ConnectionValues, io: Io): void {
  if (event.type === 'log' && log !== undefined)
    io.talk(
      `${event.level}${event.logger ? ` ${event.logger}` : ''}: ${typeof event.data === 'string' ? event.data : JSON.stringify(event.data)}`,
    )
  if (!verbose) return
  if (event.type === 'warning') io.talk(`warning: ${event.message}`)
  if (event.type === 'noise') io.talk(`${event.kind}: ${event.text}`)
  if (event.type === 'lost') io.talk(`the connection is lost: ${String(event.error)}`)
  if (event.type === 'restored') io.talk('the connection is back')
}
