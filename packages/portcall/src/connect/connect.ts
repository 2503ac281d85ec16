/** Connects to a server. The kind of target decides the transport, a probe decides the era; the client itself knows neither. */

import type { ClientOptions } from '../client/client.ts'
import { type ClientParts, createClient, type ServerConnection } from '../client/client.ts'
import type { ClientExtension } from '../client/extension.ts'
import type { ClientEvent } from '../client/options.ts'
import type { Client, ToolTypes } from '../client/types.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import { copySharedResults } from '../jsonrpc/exchange.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { AuthProvider } from '../protocol/authorizer.ts'
import type { ExtensionApis } from '../protocol/extensions.ts'
import { isLoggingLevel, MetaKey } from '../protocol/meta.ts'
import { MODERN_VERSIONS, revisionOf } from '../protocol/revisions.ts'
import { LOGGING_LEVELS } from '../protocol/types.ts'
import type { HttpClientLimits } from '../transports/http/client/limits.ts'
import type { HeaderSource } from '../transports/http/client/request-headers.ts'
import { SessionExpiredError } from '../transports/http/client/session.ts'
import type { HttpFetch } from '../transports/http/client/types.ts'
import { cachedEra, cacheEra, type Era, forgetEra } from './era-cache.ts'
import { type NegotiatedConnection, openChannel, openProcess } from './open-channel.ts'
import { openHttp } from './open-http.ts'
import type { ConnectContext } from './open-legacy.ts'
import { loadHttpFetch, loadSpawn } from './platform.ts'
import { createReconnectingConnection, type OpenConnection } from './reconnect.ts'
import { type ConnectTarget, matchTarget, type StdioTarget } from './target.ts'

/** Options of `connect`. */
export interface ConnectOptions<E extends readonly ClientExtension[] = readonly ClientExtension[]> extends ClientOptions<E> {
  /** The era of the server, as reported by `onEraDetected`. Skips the probe. */
  readonly era?: Era
  /** Receives the era of the server. Save it, and pass it as `era` the next time. */
  readonly onEraDetected?: (era: Era) => void
  /** The only protocol version to use. Default: the newest version that both sides support. */
  readonly protocolVersion?: string
  /** Timeout of the probe for the server's era, in milliseconds. Default: 5000. */
  readonly probeTimeoutMs?: number
  /** Timeout for connecting, including process start-up and the handshake, in milliseconds. Default: 60,000. */
  readonly connectTimeoutMs?: number
  /** Additional headers of every HTTP request. */
  readonly headers?: HeaderSource
  /** Obtains access tokens for a protected server; `portcall/auth/client` has providers. */
  readonly auth?: AuthProvider
  /** Sends the HTTP requests, instead of the platform's client. */
  readonly fetch?: HttpFetch
  /** Limits of the HTTP transport: sizes, timeouts and reconnection. */
  readonly http?: Partial<HttpClientLimits>
  /** Aborts the connection attempt. */
  readonly signal?: AbortSignal
  /** Restarts a process that has exited when the next request needs it. Default: false. */
  readonly restart?: boolean
  /** Receives what a process writes to stderr. */
  readonly onStderr?: (text: string) => void
}

/** The types of a server's tools, for `connect<typeof server>(…)`. */
export type ToolsOf<S> = S extends { readonly '~tools'?: infer T } ? (T extends ToolTypes ? T : never) : never

/** A client with the tool types of its server and the APIs of its extensions. */
export type ConnectedClient<S, E extends readonly ClientExtension[] = []> = Client<
  [ToolsOf<S>] extends [never] ? AnyTools : ToolsOf<S>
> &
  ExtensionApis<E>

type AnyTools = { [name: string]: { input: JsonObject; output: unknown } }

const PROBE_TIMEOUT_MS = 5000
const CONNECT_TIMEOUT_MS = 60_000

/**
 * Connects to a server: a URL, a command, a server in this process, a channel or an Exchange.
 *
 * @example
 * await using weather = await connect('https://api.example.com/mcp')
 * const result = await weather.callTool('forecast', { city: 'Oslo' })
 *
 * @throws NegotiationError, HttpStatusError, ConnectionLostError, TimeoutError when the connection fails.
 */
export async function connect<S = unknown, const E extends readonly ClientExtension[] = []>(
  target: ConnectTarget,
  options: ConnectOptions<E> = {},
): Promise<ConnectedClient<S, E>> {
  let strayOutput: string | undefined
  const listener = ignoreErrors(options.onEvent)
  const onEvent = (event: ClientEvent): void => {
    if (event.type === 'unexpected-message') strayOutput = event.text
    listener(event)
  }
  const safeOptions: ConnectOptions = { ...options, onEvent }
  const parts = createClient(() => connection as ServerConnection, safeOptions)
  let connection: ServerConnection | undefined
  try {
    connection = await createReconnectingConnection({
      open: createOpener(target, safeOptions, createContext(parts, safeOptions)),
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      deadlines: parts.deadlines,
      reconnect: canReconnect(target, safeOptions),
      isRetryable: (error) => error instanceof SessionExpiredError,
      onEvent,
      ...(options.signal && { signal: options.signal }),
    })
  } catch (error) {
    const hasAuth = options.auth !== undefined
    await import('./explain-error.ts').then(
      (module) => module.explainError(error, { target, hasAuth, strayOutput }),
      () => {},
    )
    throw error
  }
  return parts.client as never
}

/** Returns a listener that ignores what the user's listener throws. */
function ignoreErrors(listener: ((event: ClientEvent) => void) | undefined): (event: ClientEvent) => void {
  return (event) => {
    try {
      listener?.(event)
    } catch {}
  }
}

/** The part of the context that all connection attempts share. */
type SharedContext = Omit<ConnectContext, 'signal'>

function createContext(parts: ClientParts, options: ConnectOptions): SharedContext {
  const { info, capabilities, handleInputRequest, deadlines, methodOf } = parts
  const { protocolVersion, probeTimeoutMs = PROBE_TIMEOUT_MS, onEvent = () => {} } = options
  return {
    info,
    capabilities,
    handleInputRequest,
    meta: { [MetaKey.clientInfo]: info, [MetaKey.clientCapabilities]: capabilities },
    onUnexpectedMessage: ({ kind, text }) => onEvent({ type: 'unexpected-message', kind, text }),
    onLog: createLogListener(options),
    probeTimeoutMs,
    deadlines,
    methodOf,
    legacyVersion: eraOf(protocolVersion) === 'legacy' ? protocolVersion : undefined,
  }
}

/** Emits the log messages of a session as events. Filters by level, because not every server respects the level that was set. */
function createLogListener({ logLevel = 'debug', onEvent = () => {} }: ConnectOptions): ConnectContext['onLog'] {
  return ({ level, logger, data }) => {
    if (!isLoggingLevel(level) || LOGGING_LEVELS.indexOf(level) < LOGGING_LEVELS.indexOf(logLevel)) return
    onEvent({ type: 'log', level, logger: typeof logger === 'string' ? logger : undefined, data })
  }
}

/** @throws TypeError when the version is unknown. */
function eraOf(version: string | undefined): Era | undefined {
  if (version === undefined) return undefined
  if (MODERN_VERSIONS.includes(version)) return 'modern'
  if (!revisionOf(version)) throw new TypeError(`Unknown protocol version: ${JSON.stringify(version)}`)
  return 'legacy'
}

/** Returns the function that opens a connection to the target. */
function createOpener(
  target: ConnectTarget,
  options: ConnectOptions,
  context: SharedContext,
): (signal: AbortSignal) => Promise<OpenConnection> {
  const requiredEra = options.era ?? eraOf(options.protocolVersion)
  const report = (negotiated: NegotiatedConnection): NegotiatedConnection => {
    options.onEraDetected?.(negotiated.era)
    return negotiated
  }
  return matchTarget(target, {
    exchange: (exchange) => async () => ({
      exchange: copySharedResults(exchange),
      sendsParamHeaders: false,
      onEnd: () => {},
      close: async () => {},
    }),
    channel: (channel) => async (signal) => report(await openChannel(channel, { ...context, signal }, requiredEra)).connection,
    command: (command) => async (signal) => {
      const spawn = await loadSpawn()
      const start = (): Channel => spawn({ ...command, ...(options.onStderr && { onStderr: options.onStderr }) })
      return openWithEraCache(commandKey(command), requiredEra, async (era) =>
        report(await openProcess(start, { ...context, signal }, era)),
      )
    },
    url: (url) => async (signal) => {
      const { headers, http, auth } = options
      const fetch = options.fetch ?? (await loadHttpFetch())
      const httpOptions = {
        ...http,
        url,
        fetch,
        onError: (error: unknown): void => options.onEvent?.({ type: 'warning', message: String(error) }),
        methodOf: context.methodOf,
        ...(headers && { headers }),
        ...(auth && { authorizer: auth.authorizer(url), pauseWhile: context.deadlines.pauseWhile }),
      }
      const opening = openWithEraCache(url.origin + url.pathname, requiredEra, async (era) =>
        report(await openHttp(httpOptions, { ...context, signal }, era)),
      )
      return options.fetch ? opening : closeWith(opening, fetch)
    },
  })
}

/** Opens a connection in the cached era. When that fails, the era is detected again. */
async function openWithEraCache(
  server: string,
  requiredEra: Era | undefined,
  open: (era: Era | undefined) => Promise<NegotiatedConnection>,
): Promise<OpenConnection> {
  if (requiredEra) return (await open(requiredEra)).connection
  const cached = cachedEra(server)
  const negotiated = await open(cached === 'modern' ? undefined : cached).catch((error: unknown) => {
    if (!cached || isAuthError(error)) throw error
    forgetEra(server)
    return open(undefined)
  })
  cacheEra(server, negotiated.era)
  return negotiated.connection
}

/** Reports whether authorization failed. A retry would make the user sign in twice. */
function isAuthError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'AUTH_FAILED'
}

/** Closes the HTTP client together with the connection. */
async function closeWith(opening: Promise<OpenConnection>, fetch: HttpFetch): Promise<OpenConnection> {
  const connection = await opening.catch((error: unknown) => {
    fetch.close()
    throw error
  })
  const close = async (): Promise<void> => {
    await connection.close()
    fetch.close()
  }
  return { ...connection, close }
}

function commandKey({ command, args = [], cwd = '' }: StdioTarget): string {
  return JSON.stringify([command, ...args, cwd])
}

function canReconnect(target: ConnectTarget, { restart = false }: ConnectOptions): boolean {
  return matchTarget(target, { url: () => true, command: () => restart, channel: () => false, exchange: () => false })
}
