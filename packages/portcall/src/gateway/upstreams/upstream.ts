import { situationOf } from '../../../../util/src/advice.ts'
import { errorMessage } from '../../../../util/src/errors.ts'
import { oncePer } from '../../../../util/src/once-per.ts'
import { createTurns } from '../../../../util/src/turns.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { KINDS } from '../../compose/kinds.ts'
import { estimateTotalTokens } from '../../compose/tool-tokens.ts'
import type { Era } from '../../connect/era-cache.ts'
import { describeConnectTarget } from '../../connect/open-connection.ts'
import type { ReconnectingConnection } from '../../connect/reconnect.ts'
import { matchTarget } from '../../connect/target.ts'
import { ConnectionLostError, RpcError } from '../../jsonrpc/errors.ts'
import { applyMiddleware, type Exchange } from '../../jsonrpc/exchange.ts'
import { reportHandling } from '../../jsonrpc/handling.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { isRefusedElsewhere } from '../../middleware/outcome.ts'
import { refuse } from '../../middleware/refusal.ts'
import { isAuthError } from '../../protocol/authorizer.ts'
import { identityOf } from '../../protocol/caller-identity.ts'
import { clientMeta, discoverRequest } from '../../protocol/probes.ts'
import type { Implementation } from '../../protocol/types.ts'
import { HttpStatusError } from '../../transports/http/client/http-status-error.ts'
import { findUserInputRequired, hasCause, UpstreamUnavailableError } from '../api/errors.ts'
import type { OnGatewayEvent, UpstreamEvent } from '../api/events.ts'
import type { CredentialsProvider, GatewayNameOptions, GatewayServerOptions, ListStore } from '../api/options.ts'
import type { UpstreamStatus } from '../api/status.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import { LONG_LIVED_METHODS } from '../policy/extension-methods.ts'
import { type MarkedMeta, RAW_ANSWER } from '../policy/raw-answer.ts'
import type { GatewayItemKind } from '../policy/types.ts'
import { ListTimeoutError } from './cached-fetch.ts'
import { type Catalogue, type CatalogueOptions, createCatalogue } from './catalogue.ts'
import { type Connections, createConnections, isProgram, sharingOf } from './connections.ts'
import { requestResult, type UpstreamList } from './fetch-list.ts'
import { createUpstreamHealth, type UpstreamHealth } from './health.ts'
import { createHolds, type Holds } from './holds.ts'
import { createItemFilters, type ItemFilters } from './item-filter.ts'
import { createKeptLists } from './kept-lists.ts'
import { createContext } from './own-context.ts'
import { answerRaw } from './raw-answers.ts'

/** One server of a gateway: its connections, its health and its lists. */
export interface GatewayUpstream {
  /** Identifies this object: a server that is replaced gets another one. */
  readonly id: string
  /** The name of the server in the configuration. */
  readonly name: string
  /** The prefix of its names. */
  readonly alias: string
  /** The names of its tools and prompts always have the prefix. */
  readonly isPrefixed: boolean
  readonly options: GatewayServerOptions
  readonly filters: ItemFilters
  /**
   * Returns the Exchange that sends requests on the connection of their caller, through the middleware of these policies. While the server cannot be
   * reached, it throws UpstreamUnavailableError without waiting.
   */
  exchangeUnder(policies: CombinedPolicies): Exchange
  readonly catalogue: Catalogue
  readonly status: UpstreamStatus
  /** All callers share its connections. */
  readonly isShared: boolean
  /**
   * The gateway itself can list all that the server offers: the lists do not depend on the authorization of callers, and no other process has to
   * be started for it.
   */
  readonly listsAll: boolean
  /** The server knows the sender of each request: principals must not share a subscription. */
  readonly needsIdentity: boolean
  /** HTTP requests repeat arguments in headers. */
  readonly sendsParamHeaders: boolean
  /** Time that a list may wait for the server now, in milliseconds. 0 while the server cannot be reached. */
  readonly listWaitMs: number
  /** Starts the program of the server, if all callers share it. */
  start(): void
  /** Work besides requests, for which the server is kept until it has ended. */
  readonly holds: Holds
  close(): Promise<void>
}

export interface UpstreamOptions {
  readonly name: string
  readonly server: GatewayServerOptions
  readonly nameMode: GatewayNameOptions['mode']
  readonly info: Implementation
  readonly credentials: CredentialsProvider | undefined
  readonly singleUser: boolean
  /** Time that a call waits for input, in milliseconds. */
  readonly requestStateTtlMs: number
  /** Returns the current policies. */
  readonly policies: () => CombinedPolicies
  /** The store of the lists of the server. Absent if they are not kept. */
  readonly listStore: ListStore | undefined
  readonly onEvent: OnGatewayEvent
  /** A list has arrived after a lookup stopped waiting for it: one kind, or all. */
  readonly onListArrived: (kind: GatewayItemKind | undefined) => void
  /** The server was reached after a connection was lost. Since `unavailableSince`, in milliseconds since 1970, it was not available. */
  readonly onAvailable: (upstream: GatewayUpstream, unavailableSince: number | undefined) => void
}

const LIST_TIMEOUT_MS = 2000
/** Programs that are installed first, such as with `npx -y`, take seconds. */
const START_TIMEOUT_MS = 20_000
const PROBE_TIMEOUT_MS = 30_000
const MAX_REQUESTS = 1000
/** A program answers 256 requests at once, and queues further ones in the order of their arrival. */
const MAX_CHANNEL_REQUESTS = 200
/** Time that a request waits for its turn. */
const QUEUE_TIMEOUT_MS = 30_000
let lastId = 0

export function createGatewayUpstream(options: UpstreamOptions): GatewayUpstream {
  const { name, server, nameMode = 'always', credentials, policies, onEvent, onListArrived, onAvailable } = options
  const isShared = sharingOf(server, credentials) === 'shared'
  let era: Era | undefined
  let connectingSince: number | undefined
  let connected: Pick<ReconnectingConnection, 'protocolVersion' | 'sendsParamHeaders' | 'hasSession'> | undefined
  /** Connections had credentials that are not in the options. The lists may depend on them. */
  let hasCredentials = false
  const traffic: Traffic = { inFlight: 0, requests: 0, lastMeta: clientMeta(options.info) }

  const probe = async (): Promise<void> => {
    const { unavailableSince } = health
    const { capabilities, request } = await reach(connections, traffic)
    // A session answers this by itself; a list comes from the server.
    const info = Object.values(KINDS).find(({ capability }) => isObject(capabilities) && capabilities[capability])
    if (info && connected?.hasSession) await request(info.method).catch(ignoreResponse)
    catalogue.invalidate()
    onAvailable(upstream, unavailableSince)
  }
  const health = createUpstreamHealth({
    probe: isShared ? probe : undefined,
    onChange: (changed) => onEvent(upstreamEvent(name, changed)),
  })
  const connections = createConnections({
    ...options,
    onOpening() {
      if (health.state !== 'connecting') connectingSince = Date.now()
      health.connecting()
    },
    onOpened(connection) {
      connected = connection
      health.opened()
    },
    onEraDetected: (detected) => void (era = detected),
    onCredentials: () => void (hasCredentials = true),
    onFailed: (error) => (isRefusal(error) ? health.refused(error) : health.failure(error)),
  })
  const exchangeUnder = createExchanges(createSender(options, { health, connections, traffic }), options)
  const catalogue = createCatalogue({
    server: name,
    hasWebhook: server.eventWebhook !== undefined,
    exchangeUnder,
    policies,
    waitingSince: () => (isShared && health.state === 'connecting' ? connectingSince : undefined),
    onEvent,
    onListArrived,
    onTimeout: (error) => health.failure(error),
    ...keepLists(options, health, () => !hasCredentials),
  })

  const upstream: GatewayUpstream = {
    holds: createHolds(),
    id: `${name} ${++lastId}`,
    name,
    alias: server.alias ?? name,
    isPrefixed: nameMode === 'always' && server.alias !== '',
    options: server,
    filters: createItemFilters(server),
    exchangeUnder,
    catalogue,
    isShared,
    listsAll: isShared && (!isProgram(server) || connections.sharesProcess),
    needsIdentity: !isShared || isInProcess(server),
    get status() {
      const { state, error, failures, nextAttemptAt } = health
      return {
        state: server.disabled ? 'disabled' : state,
        ...withoutUndefined({ era, nextAttemptAt }),
        ...(connected?.protocolVersion && { protocolVersion: connected.protocolVersion }),
        ...(error !== undefined && { error: errorMessage(error), situation: situationOf(error) }),
        failures,
        connections: connections.size,
        inFlight: traffic.inFlight,
        requests: traffic.requests,
        items: { ...catalogue.counts },
        ...(catalogue.keptSince !== undefined && { keptSince: catalogue.keptSince }),
        ...(catalogue.lastTools && { toolTokens: estimateTokens(upstream, catalogue.lastTools) }),
      }
    },
    get listWaitMs() {
      return health.isFailing ? 0 : listWaitOf(server, isProgram(server) && !connected)
    },
    get sendsParamHeaders() {
      return connected?.sendsParamHeaders ?? false
    },
    start() {
      if (isShared && options.singleUser && isProgram(server)) void reach(connections, traffic).catch(() => {})
    },
    async close() {
      health.close()
      await Promise.all([catalogue.close(), connections.close()])
    },
  }
  return upstream
}

/** Returns the options of kept lists. Kept lists never replace a required server. */
function keepLists(
  { name, server, listStore, onEvent }: UpstreamOptions,
  health: UpstreamHealth,
  mayKeep: () => boolean,
): Pick<CatalogueOptions, 'kept' | 'keptWaitMs' | 'isReady' | 'isUnavailable'> {
  const onError = (error: unknown): void =>
    onEvent({ type: 'warning', server: name, message: `Its lists cannot be kept: ${errorMessage(error)}` })
  return {
    kept:
      listStore && !server.required
        ? createKeptLists({ store: listStore, server: name, options: server, mayKeep, onError })
        : undefined,
    keptWaitMs: () => (health.isFailing ? 0 : (server.listTimeoutMs ?? LIST_TIMEOUT_MS)),
    isReady: () => health.state === 'ready',
    isUnavailable: (error) =>
      !(error instanceof RpcError) && !isRefusal(error) && (error instanceof ListTimeoutError || health.state !== 'ready'),
  }
}

/** A server that was reached, and how to send it further requests. */
interface ReachedServer {
  readonly capabilities: unknown
  readonly request: (method: string) => Promise<JsonObject>
}

/** Opens a connection for nobody in particular. */
async function reach(connections: Connections, { lastMeta }: Traffic): Promise<ReachedServer> {
  const discover = discoverRequest(0, lastMeta)
  const context = createContext(AbortSignal.timeout(PROBE_TIMEOUT_MS), undefined)
  const { exchange } = connections.get(discover, {})
  const request = (method: string): Promise<JsonObject> =>
    requestResult(exchange, { method, params: { _meta: lastMeta } }, context)
  const { capabilities } = await request('server/discover')
  return { capabilities, request }
}

/** The requests to a server. */
interface Traffic {
  inFlight: number
  requests: number
  /** The metadata of the last request, with which the server is tried again. */
  lastMeta: JsonObject
}

interface SenderOptions {
  readonly health: UpstreamHealth
  readonly connections: Connections
  readonly traffic: Traffic
}

/**
 * Sends requests on the connections of their callers, at most `maxRequests` at the same time, and at most half of them of one caller. It is below all
 * middleware.
 */
function createSender({ name, server, singleUser }: UpstreamOptions, { health, connections, traffic }: SenderOptions): Exchange {
  const { maxRequests: limit = isChannel(server) ? MAX_CHANNEL_REQUESTS : MAX_REQUESTS } = server
  const turns = createTurns({ limit, maxOwned: Math.ceil(limit / 2), maxQueued: Infinity, queueTimeoutMs: QUEUE_TIMEOUT_MS })
  const deliver = createDelivery(server, connections)
  const send: Exchange = async (request, context) => {
    const meta = request.params?._meta as MarkedMeta | undefined
    if (meta?.[RAW_ANSWER]) return answerRaw({ request, meta }, context, send)
    const isLimited = !LONG_LIVED_METHODS.has(request.method)
    const owner = singleUser ? undefined : identityOf(request, context)
    const turn = !isLimited || turns.begin(context, owner)
    if (turn !== true && !(await turn))
      return refuse(request, {
        message: `Too many requests to ${name} are running. The limit is ${limit} at once`,
        data: { limit },
      })
    traffic.inFlight++
    try {
      if (health.isFailing) throw new UpstreamUnavailableError(name, health.error)
      if (isObject(meta)) traffic.lastMeta = meta
      traffic.requests++
      return await deliver(request, context)
    } catch (error) {
      if (error instanceof ConnectionLostError) health.lost(error, error.retryable)
      throw error
    } finally {
      traffic.inFlight--
      if (isLimited) turns.end(owner)
    }
  }
  return send
}

/** Sends requests, and reports those that had no effect. A server in this process reports by itself. */
function createDelivery(server: GatewayServerOptions, connections: Connections): Exchange {
  const isLocal = isInProcess(server)
  return async (request, context) => {
    try {
      const response = await connections.get(request, context).exchange(request, context)
      if (!isLocal && isRefusedElsewhere(response)) reportHandling(context, 'received')
      return response
    } catch (error) {
      if (isNotProcessed(error)) reportHandling(context, 'received')
      throw error
    }
  }
}

/** Returns the function that wraps an Exchange in the middleware of the server and of policies. */
function createExchanges(send: Exchange, { name, server }: UpstreamOptions): GatewayUpstream['exchangeUnder'] {
  return oncePer(({ list }) => {
    const target = describeConnectTarget(server.target)
    const layers = list.flatMap((policy) => policy.serverMiddleware?.(name, target) ?? [])
    return applyMiddleware(send, [...(server.middleware ?? []), ...layers])
  })
}

const estimates = new WeakMap<UpstreamList['items'], number>()

/** Estimates the tokens of the tools that the gateway offers of a list. */
function estimateTokens({ alias, isPrefixed, filters }: GatewayUpstream, items: UpstreamList['items']): number {
  const known = estimates.get(items)
  if (known !== undefined) return known
  const { accepts, rename } = filters.tool
  const offered = [...items].filter(([name]) => accepts(name))
  const tokens = estimateTotalTokens(
    offered.map(([name, tool]) => ({ ...tool, name: isPrefixed ? `${alias}__${rename(name)}` : rename(name) })),
  )
  estimates.set(items, tokens)
  return tokens
}

function upstreamEvent(server: string, { state, error, nextAttemptAt }: UpstreamHealth): UpstreamEvent {
  return {
    type: 'upstream',
    server,
    state,
    ...withoutUndefined({ error, nextAttemptAt }),
  }
}

/** Ignores that a server responds with an error. @throws other errors. */
function ignoreResponse(error: unknown): void {
  if (!(error instanceof RpcError)) throw error
}

/** Reports whether a server was reached and refused the caller, who has to sign in first. */
function isRefusal(error: unknown): boolean {
  if (findUserInputRequired(error)) return true
  if (error instanceof HttpStatusError) return error.status === 401 || error.status === 403
  return isAuthError(error)
}

/** The codes of errors of the system that occur before anything is sent. */
const NOT_SENT: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
const REQUEST_TIMEOUT = 408
const SERVICE_UNAVAILABLE = 503

/** Reports whether a request that failed had no effect: it was not sent, or a server has refused it. */
function isNotProcessed(error: unknown): boolean {
  if (isRefusal(error) || hasCause(error, (cause) => 'code' in cause && NOT_SENT.includes(cause.code))) return true
  if (!(error instanceof HttpStatusError)) return false
  const { status, header } = error
  if (status === SERVICE_UNAVAILABLE) return header('retry-after') !== undefined
  return status >= 400 && status < 500 && status !== REQUEST_TIMEOUT
}

/** Reports whether requests to the server share one channel, such as the standard streams of a program. */
function isChannel({ target }: GatewayServerOptions): boolean {
  return matchTarget(target, { exchange: () => false, url: () => false, command: () => true, channel: () => true })
}

/** Reports whether requests are passed to the server with their context. */
function isInProcess({ target }: GatewayServerOptions): boolean {
  return matchTarget(target, { exchange: () => true, url: () => false, command: () => false, channel: () => false })
}

/** Returns how long a list of a server is waited for: longer for a program that starts. */
function listWaitOf({ listTimeoutMs, startTimeoutMs }: GatewayServerOptions, isStarting: boolean): number {
  return isStarting ? (startTimeoutMs ?? listTimeoutMs ?? START_TIMEOUT_MS) : (listTimeoutMs ?? LIST_TIMEOUT_MS)
}
