/** Opens connections to servers of both eras. */

import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import type { Deadlines } from '../client/deadlines.ts'
import type { ClientEvent } from '../client/options.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import { copySharedResults, type ServerDescription } from '../jsonrpc/exchange.ts'
import type { JsonObject, ParseJson } from '../jsonrpc/message.ts'
import { isAuthError } from '../protocol/authorizer.ts'
import type { InputRequestHandler } from '../protocol/input-types.ts'
import type { MethodLookup } from '../protocol/methods.ts'
import { clientMeta } from '../protocol/probes.ts'
import { MODERN_VERSION, MODERN_VERSIONS, revisionOf, SUPPORTED_VERSIONS } from '../protocol/revisions.ts'
import type { ClientCapabilities, Implementation } from '../protocol/types.ts'
import { SessionExpiredError } from '../transports/http/client/session.ts'
import type { HttpFetch } from '../transports/http/client/types.ts'
import { cachedEra, cacheEra, type Era, forgetEra } from './era-cache.ts'
import { type NegotiatedConnection, openChannel, openProcess } from './open-channel.ts'
import { openHttp } from './open-http.ts'
import type { ConnectContext } from './open-legacy.ts'
import type { ConnectionOptions } from './options.ts'
import { loadHttpFetch, loadSpawn } from './platform.ts'
import { createReconnectingConnection, type OpenConnection, type ReconnectingConnection } from './reconnect.ts'
import { type ConnectTarget, matchTarget, type StdioTarget } from './target.ts'

/** The part that uses a connection, as the server gets to know it. */
export interface ConnectionOwner {
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  readonly deadlines: Deadlines
  /** Looks up a method of the protocol or of an extension. */
  readonly methodOf: MethodLookup
  /**
   * Handles the input requests that servers of the legacy era send on their own. Default: the call that a request belongs to returns an
   * `input_required` result, as in the modern era.
   */
  readonly handleInputRequest?: InputRequestHandler
  /** Returns what identifies the caller of a request, for calls that wait for input. Default: its principal, or its session. */
  readonly identityOf?: ConnectContext['identityOf']
  /** How long a call to a legacy server waits for input, in milliseconds. Default: 5 minutes. */
  readonly suspendTtlMs?: number
  /** Called when a legacy server asks the caller of a request for input. */
  readonly onInputRequest?: ConnectContext['onInputRequest']
  /** Receives the log messages of a session. Default: the requests that asked for log messages receive them. */
  readonly onLog?: (params: JsonObject) => void
  /** Parses the JSON of messages. Default: `JSON.parse`. */
  readonly parseJson?: ParseJson | undefined
  readonly onEvent: (event: ClientEvent) => void
}

const CONNECT_TIMEOUT_MS = 60_000

/**
 * Opens a connection to a server of either era, as an Exchange of the newest revision. It reconnects on demand, except to a channel.
 *
 * @throws NegotiationError, HttpStatusError, ConnectionLostError, TimeoutError when the first attempt fails.
 */
export function openServerConnection(
  target: ConnectTarget,
  options: ConnectionOptions,
  owner: ConnectionOwner,
): Promise<ReconnectingConnection> {
  return createReconnectingConnection({
    target: describeConnectTarget(target),
    open: createOpener(target, options, createContext(owner, options)),
    connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    deadlines: owner.deadlines,
    reconnect: canReconnect(target, options),
    isRetryable: (error) => error instanceof SessionExpiredError,
    onEvent: owner.onEvent,
    ...(options.signal && { signal: options.signal }),
  })
}

/** The part of the context that all connection attempts share. */
type SharedContext = Omit<ConnectContext, 'signal'> & Pick<ConnectionOwner, 'onEvent' | 'parseJson'>

function createContext(owner: ConnectionOwner, options: ConnectionOptions): SharedContext {
  const {
    info,
    capabilities,
    handleInputRequest,
    identityOf,
    suspendTtlMs,
    onInputRequest,
    onLog,
    onEvent,
    parseJson,
    deadlines,
    methodOf,
  } = owner
  const { protocolVersion, probeTimeoutMs } = options
  return {
    info,
    capabilities,
    ...withoutUndefined({ handleInputRequest, identityOf, suspendTtlMs, onInputRequest }),
    meta: clientMeta(info, capabilities),
    onUnexpectedMessage: ({ kind, text }) => onEvent({ type: 'unexpected-message', kind, text }),
    ...(onLog && { onLog }),
    onEvent,
    parseJson,
    probeTimeoutMs,
    deadlines,
    methodOf,
    onOpen: options.wire?.onOpen,
    legacyVersion: eraOf(protocolVersion) === 'legacy' ? protocolVersion : undefined,
  }
}

/** @throws TypeError when the version is unknown. */
function eraOf(version: string | undefined): Era | undefined {
  if (version === undefined) return undefined
  if (MODERN_VERSIONS.includes(version)) return 'modern'
  if (!revisionOf(version))
    throw new TypeError(
      `Unknown protocol version: ${JSON.stringify(version)}. Use one of ${SUPPORTED_VERSIONS.join(', ')}, or leave protocolVersion out`,
    )
  return 'legacy'
}

/** Returns the function that opens a connection to the target. */
function createOpener(
  target: ConnectTarget,
  options: ConnectionOptions,
  context: SharedContext,
): (signal: AbortSignal) => Promise<OpenConnection> {
  const { wire = {} } = options
  const { parseJson } = context
  const wrapChannel = (channel: Channel): Channel => wire.wrapChannel?.(channel) ?? channel
  const requiredEra = options.era ?? eraOf(options.protocolVersion)
  const report = (negotiated: NegotiatedConnection): NegotiatedConnection => {
    if (!negotiated.isUncertain) options.onEraDetected?.(negotiated.era)
    return negotiated
  }
  return matchTarget(target, {
    exchange: (exchange) => async () => ({
      exchange: copySharedResults(exchange),
      sendsParamHeaders: false,
      hasSession: false,
      protocolVersion: MODERN_VERSION,
      onEnd: () => {},
      close: async () => {},
    }),
    channel: (channel) => async (signal) =>
      report(await openChannel(wrapChannel(channel), { ...context, signal }, requiredEra)).connection,
    command: (command) => async (signal) => {
      const spawn = await loadSpawn()
      const onStdout = wire.onStdout?.bind(wire)
      const start = (): Channel =>
        wrapChannel(spawn({ ...command, onStdout, parseJson, ...(options.onStderr && { onStderr: options.onStderr }) }))
      return openWithEraCache(commandKey(command), requiredEra, async (era) =>
        report(await openProcess(start, { ...context, signal }, era)),
      )
    },
    url: (url) => async (signal) => {
      const { headers, http, auth } = options
      const platform = options.fetch
        ? (await import('./check-fetch.ts')).checkFetch(options.fetch)
        : await loadHttpFetch(options.proxy)
      const fetch = wire.wrapFetch?.(platform) ?? platform
      const httpOptions = {
        ...http,
        url,
        fetch,
        onError: (error: unknown): void => context.onEvent({ type: 'warning', message: String(error) }),
        methodOf: context.methodOf,
        parseJson,
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
    // After a failed authorization, another attempt would make the user sign in twice.
    if (!cached || isAuthError(error)) throw error
    forgetEra(server)
    return open(undefined)
  })
  if (!negotiated.isUncertain) cacheEra(server, negotiated.era)
  return negotiated.connection
}

/** Closes the HTTP client together with the connection, and says which version of HTTP it uses. */
async function closeWith(opening: Promise<OpenConnection>, fetch: HttpFetch): Promise<OpenConnection> {
  const connection = await opening.catch((error: unknown) => {
    fetch.close()
    throw error
  })
  const close = async (): Promise<void> => {
    await connection.close()
    fetch.close()
  }
  return { ...connection, httpVersion: fetch.httpVersion, close }
}

function commandKey({ command, args = [], cwd = '' }: StdioTarget): string {
  return JSON.stringify([command, ...args, cwd])
}

/** Describes a server to middleware, before there is a connection. */
export function describeConnectTarget(target: ConnectTarget): ServerDescription {
  return matchTarget<ServerDescription>(target, {
    url: (url) => ({ transport: 'http', url }),
    command: () => ({ transport: 'stdio' }),
    channel: () => ({ transport: 'stdio' }),
    exchange: () => ({ transport: 'memory' }),
  })
}

function canReconnect(target: ConnectTarget, { restart = false }: ConnectionOptions): boolean {
  return matchTarget(target, { url: () => true, command: () => restart, channel: () => false, exchange: () => false })
}
