/**
 * Reaches a server, whatever it is and whatever it speaks. What kind of target it is decides how bytes travel, a probe decides which
 * era is spoken; from there on the client knows neither.
 */
import { type ClientParts, createClient } from '../client/client.ts'
import type { ClientOptions } from '../client/client-options.ts'
import type { ClientExtension } from '../client/extension.ts'
import { harmless } from '../client/listeners.ts'
import type { ClientEvent } from '../client/options.ts'
import type { Client, ToolTypes } from '../client/surface.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import { handOut } from '../jsonrpc/kept.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { AuthProvider } from '../protocol/authorizer.ts'
import type { MembersOf } from '../protocol/extensions.ts'
import { isLoggingLevel, MetaKey } from '../protocol/meta.ts'
import { MODERN_VERSIONS, revisionOf } from '../protocol/revisions.ts'
import { LOGGING_LEVELS } from '../protocol/types.ts'
import type { HeaderSource } from '../transports/http/client-headers.ts'
import type { HttpClientLimits } from '../transports/http/client-limits.ts'
import type { HttpFetch } from '../transports/http/request.ts'
import { SessionLost } from '../transports/http/session-lost.ts'
import { type Era, forgetEra, knownEra, rememberEra } from './eras.ts'
import { type Found, openChannel, openProgram } from './open-channel.ts'
import { openHttp } from './open-http.ts'
import type { Speaker } from './open-legacy.ts'
import { loadHttpFetch, loadSpawn } from './platform.ts'
import { createReopening, type Opened } from './reopen.ts'
import { type Command, reach, type Target } from './target.ts'

/** How a client behaves, and how it reaches its server; all of it is optional. */
export interface ConnectOptions<E extends readonly ClientExtension[] = readonly ClientExtension[]> extends ClientOptions<E> {
  /** How the server spoke the last time; it is then not tried out. */
  readonly prior?: Era
  /** Hears how the server speaks, to give it as `prior` the next time. */
  readonly onEra?: (era: Era) => void
  /** The one revision to speak; others are not tried. */
  readonly revision?: string
  /** How long a server may take to say which era it is of, in milliseconds. Default: 5 s. */
  readonly probeMs?: number
  /** How long it may take until hands are shaken, the start of a program included, in milliseconds. Default: one minute. */
  readonly openMs?: number
  /** More headers for every HTTP request. */
  readonly headers?: HeaderSource
  /** Gets access tokens for a protected server: one of `portcall/auth/client`. Nothing else of this process is told to its authorization server. */
  readonly auth?: AuthProvider
  /** Sends the HTTP requests in place of what this platform has. */
  readonly fetch?: HttpFetch
  readonly http?: Partial<HttpClientLimits>
  /** Gives up while the connection is being made. */
  readonly signal?: AbortSignal
  /** Starts a program again when it has ended and is needed. Default: false. */
  readonly restart?: boolean
  /** Gets what a program writes to stderr. */
  readonly onStderr?: (text: string) => void
}

/** The tools of a server in types: `connect<typeof server>(…)`. */
export type ToolsOf<S> = S extends { readonly '~tools'?: infer T } ? (T extends ToolTypes ? T : never) : never

/** A client of a server whose tools are known as types, with the members that extensions give it. */
export type Connected<S, E extends readonly ClientExtension[] = []> = Client<
  [ToolsOf<S>] extends [never] ? AnyTools : ToolsOf<S>
> &
  MembersOf<E>

const PROBE_MS = 5000
const OPEN_MS = 60_000

/**
 * Connects to a server: a URL, a program, a server in this process, a channel or an Exchange.
 *
 * @example
 * await using weather = await connect('https://api.example.com/mcp')
 * const result = await weather.callTool('forecast', { city: 'Oslo' })
 *
 * @throws NegotiationError, HttpStatusError, ConnectionLost, TimeoutError when the server cannot be reached.
 */
export async function connect<S = unknown, const E extends readonly ClientExtension[] = []>(
  target: Target,
  given: ConnectOptions<E> = {},
): Promise<Connected<S, E>> {
  const options: ConnectOptions & { onEvent: (event: ClientEvent) => void } = { ...given, onEvent: harmless(given.onEvent) }
  const parts = createClient(() => connection, options)
  const connection = await createReopening({
    open: opener(target, options, speakerOf(parts, options)),
    openMs: options.openMs ?? OPEN_MS,
    clocks: parts.clocks,
    again: isReopened(target, options),
    forgotten: (error) => error instanceof SessionLost,
    onEvent: options.onEvent,
    ...(options.signal && { signal: options.signal }),
  })
  return parts.client as never
}

type AnyTools = { [name: string]: { input: JsonObject; output: unknown } }

/** Who speaks, whichever way is opened. */
type AnySpeaker = Omit<Speaker, 'signal'>

function speakerOf({ info, capabilities, answer, clocks, methodOf }: ClientParts, options: ConnectOptions): AnySpeaker {
  const { revision, probeMs = PROBE_MS, onEvent = () => {} } = options
  const envelope: JsonObject = { [MetaKey.clientInfo]: info, [MetaKey.clientCapabilities]: capabilities }
  const onNoise: Speaker['onNoise'] = ({ kind, text }) => onEvent({ type: 'noise', kind, text })
  return {
    info,
    capabilities,
    answer,
    envelope,
    onNoise,
    onLog: toLogEvent(options),
    probeMs,
    clocks,
    methodOf,
    revision: eraOf(revision) === 'legacy' ? revision : undefined,
  }
}

/** Makes events of the log messages of a session: of those that are wanted, for not every server heeds the level that was set. */
function toLogEvent({ logLevel = 'debug', onEvent = () => {} }: ConnectOptions): Speaker['onLog'] {
  return ({ level, logger, data }) => {
    if (!isLoggingLevel(level) || LOGGING_LEVELS.indexOf(level) < LOGGING_LEVELS.indexOf(logLevel)) return
    onEvent({ type: 'log', level, logger: typeof logger === 'string' ? logger : undefined, data })
  }
}

/** The era of a revision that was asked for. @throws TypeError when there is no such revision. */
function eraOf(revision: string | undefined): Era | undefined {
  if (revision === undefined) return undefined
  if (MODERN_VERSIONS.includes(revision)) return 'modern'
  if (!revisionOf(revision)) throw new TypeError(`There is no protocol revision ${JSON.stringify(revision)}`)
  return 'legacy'
}

function opener(target: Target, options: ConnectOptions, speaker: AnySpeaker): (signal: AbortSignal) => Promise<Opened> {
  const wanted = options.prior ?? eraOf(options.revision)
  const told = (found: Found): Found => {
    options.onEra?.(found.era)
    return found
  }
  return reach(target, {
    exchange: (exchange) => async () => ({ exchange: handOut(exchange), mirrors: false, onEnd: () => {}, close: async () => {} }),
    channel: (channel) => async (signal) => told(await openChannel(channel, { ...speaker, signal }, wanted)).opened,
    command: (command) => async (signal) => {
      const spawn = await loadSpawn()
      const start = (): Channel => spawn({ ...command, ...(options.onStderr && { onStderr: options.onStderr }) })
      return remembered(nameOf(command), wanted, async (era) => told(await openProgram(start, { ...speaker, signal }, era)))
    },
    url: (url) => async (signal) => {
      const { headers, http, auth } = options
      const fetch = options.fetch ?? (await loadHttpFetch())
      const onError = (error: unknown): void => options.onEvent?.({ type: 'warning', message: String(error) })
      const carrier = {
        ...http,
        url,
        fetch,
        onError,
        methodOf: speaker.methodOf,
        ...(headers && { headers }),
        ...(auth && { authorizer: auth.authorizer(url), whileAsking: speaker.clocks.stopped }),
      }
      const opening = remembered(url.origin + url.pathname, wanted, async (era) =>
        told(await openHttp(carrier, { ...speaker, signal }, era)),
      )
      return options.fetch ? opening : closing(opening, fetch)
    },
  })
}

/** Opens in the era that was found out the last time; when that does not work any more, the server is tried out anew. */
async function remembered(
  server: string,
  wanted: Era | undefined,
  open: (era: Era | undefined) => Promise<Found>,
): Promise<Opened> {
  if (wanted) return (await open(wanted)).opened
  const last = knownEra(server)
  const found = await open(last === 'modern' ? undefined : last).catch((error: unknown) => {
    if (!last || isUnauthorized(error)) throw error
    forgetEra(server)
    return open(undefined)
  })
  rememberEra(server, found.era)
  return found.opened
}

/** Whether a provider has failed: nobody wants to be asked to sign in a second time because of that. */
function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'AUTH_FAILED'
}

/** Closes what the way was made of together with it. */
async function closing(opening: Promise<Opened>, fetch: HttpFetch): Promise<Opened> {
  const opened = await opening.catch((error: unknown) => {
    fetch.close()
    throw error
  })
  const close = async (): Promise<void> => {
    await opened.close()
    fetch.close()
  }
  return { ...opened, close }
}

function nameOf({ command, args = [], cwd = '' }: Command): string {
  return JSON.stringify([command, ...args, cwd])
}

function isReopened(target: Target, { restart = false }: ConnectOptions): boolean {
  return reach(target, { url: () => true, command: () => restart, channel: () => false, exchange: () => false })
}
