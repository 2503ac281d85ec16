import { setLru } from '../../../../util/src/lru.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { createDeadlines } from '../../client/deadlines.ts'
import type { Era } from '../../connect/era-cache.ts'
import { joinHeaders } from '../../connect/join-headers.ts'
import { type ConnectionOwner, openServerConnection } from '../../connect/open-connection.ts'
import type { ConnectionOptions } from '../../connect/options.ts'
import type { ReconnectingConnection } from '../../connect/reconnect.ts'
import { createStatelessConnection, type StatelessConnection } from '../../connect/stateless-connection.ts'
import { matchTarget } from '../../connect/target.ts'
import { credentialKey } from '../../jsonrpc/authorization-key.ts'
import type { Auth, ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { Request } from '../../jsonrpc/message.ts'
import { sessionOf } from '../../protocol/caller-identity.ts'
import { capabilitiesForInputs, INPUT_KINDS } from '../../protocol/input-capabilities.ts'
import type { ClientCapabilities, Implementation } from '../../protocol/types.ts'
import type { OnGatewayEvent } from '../api/events.ts'
import type { CredentialsProvider, GatewayServerOptions, UpstreamCredentials } from '../api/options.ts'
import { gatewayMethodOf } from '../policy/extension-methods.ts'
import { parseWithTexts } from './result-texts.ts'

/** The connections to one server: one for all callers, or one for each authorization or session. */
export interface Connections {
  /** The number of open connections. */
  readonly size: number
  /** Callers with different capabilities can share the process of a program, if they share connections. */
  readonly sharesProcess: boolean
  /** Returns the connection for the caller of a request. It is opened by its first request. */
  get(request: Request, context: Pick<ExchangeContext, 'auth'>): StatelessConnection
  close(): Promise<void>
}

export interface ConnectionsOptions {
  readonly name: string
  readonly server: GatewayServerOptions
  readonly info: Implementation
  readonly credentials: CredentialsProvider | undefined
  readonly singleUser: boolean
  /** Time that a call waits for input, in milliseconds. */
  readonly requestStateTtlMs: number
  readonly onEvent: OnGatewayEvent
  /** Called before a connection is opened. @throws to refuse it. */
  readonly onOpening: () => void
  readonly onOpened: (connection: ReconnectingConnection) => void
  readonly onEraDetected: (era: Era) => void
  readonly onFailed: (error: unknown) => void
  /** Called when a connection is opened with credentials that are not in the options of the server. */
  readonly onCredentials: () => void
}

const IDLE_TIMEOUT_MS = 600_000
const MAX_CONNECTIONS = 1000
/** More than hosts with different capabilities that one person uses at a time. */
const MAX_OWNED_SESSIONS = 16
/** The capabilities of connections that cannot be opened again with others. */
const SINGLE_CAPABILITIES = capabilitiesForInputs(INPUT_KINDS)

/** Returns the callers that share connections. */
export function sharingOf(server: GatewayServerOptions, credentials: CredentialsProvider | undefined): Sharing {
  return server.sharing ?? ((server.credentials ?? credentials) ? 'principal' : 'shared')
}

type Sharing = NonNullable<GatewayServerOptions['sharing']>

const SHARED = 'shared'

/** Returns the key of the callers that share a connection: an object for a session. */
function ownerOf(request: Request, auth: Auth | undefined, sharing: Sharing): string | object {
  const session = sharing === 'session' ? sessionOf(request) : undefined
  return session ?? (auth ? `principal ${credentialKey(auth)}` : SHARED)
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { server, onOpening, onOpened, onFailed } = options
  const sharing = sharingOf(server, options.credentials)
  const { maxConnections = MAX_CONNECTIONS, idleTimeoutMs = IDLE_TIMEOUT_MS } = server
  const connections = new Map<string | object, StatelessConnection>()

  const open = async (owner: ConnectionUser): Promise<ReconnectingConnection> => {
    onOpening()
    let strayOutput: string | undefined
    try {
      const connection = await openFor(owner, options, (text) => {
        strayOutput = text
      })
      onOpened(connection)
      return connection
    } catch (error) {
      const { explainUnreachable } = await import('../../connect/explain-error.ts')
      explainUnreachable(error, strayOutput)
      onFailed(error)
      throw error
    }
  }
  /** A program with one user can have one process for all of its clients: whom it asks is always this user. */
  const sharesSessions = (auth: Auth | undefined): boolean => {
    const hasOneUser = options.singleUser || (sharing === 'principal' && auth !== undefined)
    return isProgram(server) && (server.capabilities ?? (hasOneUser ? 'all' : 'exact')) === 'all'
  }
  const create = (auth: Auth | undefined): StatelessConnection =>
    createStatelessConnection({
      open: (capabilities, signal, onInputRequest) => open({ auth, capabilities, signal, onInputRequest }),
      sharesSessions: sharesSessions(auth),
      capabilities: isSingle(server) ? SINGLE_CAPABILITIES : undefined,
      maxSessions: maxConnections,
      maxOwnedSessions: MAX_OWNED_SESSIONS,
      idleTimeoutMs,
      keepsFirst: sharing === 'shared' && server.idleTimeoutMs === undefined,
    })
  return {
    get size() {
      let size = 0
      for (const connection of connections.values()) size += connection.size
      return size
    },
    sharesProcess: sharesSessions(undefined),
    get(request, { auth }) {
      const key = sharing === 'shared' ? SHARED : ownerOf(request, auth, sharing)
      const known = connections.get(key)
      if (known) return known
      const created = create(sharing === 'shared' ? undefined : auth)
      evictUnused(connections, maxConnections)
      setLru(connections, [key, created], Infinity)
      return created
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.close()))
      connections.clear()
    },
  }
}

/** Forgets the callers without open connections when there are too many. */
function evictUnused(connections: Map<string | object, StatelessConnection>, max: number): void {
  if (connections.size < max) return
  for (const [key, connection] of connections) if (connection.size === 0) connections.delete(key)
}

/** Reports whether only one connection can be opened. */
function isSingle({ target }: GatewayServerOptions): boolean {
  return matchTarget(target, { channel: () => true, url: () => false, command: () => false, exchange: () => false })
}

/** Reports whether each session with a server is a process. */
export function isProgram({ target }: GatewayServerOptions): boolean {
  return matchTarget(target, { command: () => true, url: () => false, channel: () => false, exchange: () => false })
}

/** The user of a connection, and the signal that ends it. */
interface ConnectionUser {
  readonly auth: Auth | undefined
  readonly capabilities: ClientCapabilities
  readonly signal: AbortSignal
  readonly onInputRequest: NonNullable<ConnectionOwner['onInputRequest']>
}

async function openFor(
  { auth, capabilities, signal, onInputRequest }: ConnectionUser,
  { name, server, info, credentials, singleUser, requestStateTtlMs, onEraDetected, onCredentials, onEvent }: ConnectionsOptions,
  onStrayOutput: (text: string) => void,
): Promise<ReconnectingConnection> {
  const url = matchTarget(server.target, {
    url: (target) => target,
    channel: () => undefined,
    command: () => undefined,
    exchange: () => undefined,
  })
  const provider = server.credentials ?? credentials
  const request = { server: name, ...(url && { url }), ...(auth && { principal: auth.principal, auth }) }
  const provided = (await provider?.(request)) ?? {}
  if (provided.auth || provided.headers) onCredentials()
  const connectionOptions = {
    ...pickConnectionOptions(server, provided),
    signal,
    onEraDetected,
    onStderr: (text: string) => onEvent({ type: 'stderr', server: name, text }),
  }
  return openServerConnection(server.target, connectionOptions, {
    info,
    capabilities,
    deadlines: createDeadlines(),
    methodOf: gatewayMethodOf,
    // Middleware may change results.
    parseJson: server.middleware?.length ? undefined : parseWithTexts,
    ...(singleUser && { identityOf: () => 'user' }),
    suspendTtlMs: requestStateTtlMs,
    onInputRequest,
    onEvent: (event) => {
      if (event.type === 'disconnected') onEvent({ type: 'disconnected', server: name, error: event.error })
      if (event.type === 'warning') onEvent({ type: 'warning', server: name, message: event.message })
      if (event.type !== 'unexpected-message') return
      onStrayOutput(event.text)
      onEvent({ type: 'warning', server: name, message: `Unexpected output (${event.kind}): ${event.text.slice(0, 200)}` })
    },
  })
}

function pickConnectionOptions(server: GatewayServerOptions, provided: UpstreamCredentials): ConnectionOptions {
  const { era, protocolVersion, probeTimeoutMs, connectTimeoutMs, fetch, proxy, http } = server
  const auth = provided.auth ?? server.auth
  const headers = joinHeaders(server.headers, provided.headers)
  return withoutUndefined({ era, protocolVersion, probeTimeoutMs, connectTimeoutMs, fetch, proxy, http, auth, headers })
}
