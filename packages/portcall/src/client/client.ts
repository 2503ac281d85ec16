import { applyMiddleware, type ConnectionInfo, type Exchange, type Middleware } from '../jsonrpc/exchange.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { readServerCapabilities } from '../protocol/capabilities.ts'
import type { InputRequestHandler } from '../protocol/input-types.ts'
import { METHODS, type MethodInfo, type MethodLookup } from '../protocol/methods.ts'
import { PAGE_LIMITS } from '../protocol/pages.ts'
import { completeResponse } from '../protocol/resource-contents.ts'
import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  Prompt,
  Resource,
  ResourceTemplate,
  Tool,
} from '../protocol/types.ts'
import { type Cache, createCache, NO_CACHE } from './cache.ts'
import { checkClientMiddleware, checkFilter } from './check-call-options.ts'
import { createDeadlines, type Deadlines } from './deadlines.ts'
import { ClientClosedError } from './errors.ts'
import { type ClientExtension, createExtensionTables } from './extension.ts'
import {
  applyInputMiddleware,
  capabilitiesOf,
  createInputRequestHandler,
  type InputHandlers,
  type InputMiddleware,
} from './input-requests.ts'
import { createPagedList, type List, type ListDefinition } from './lists.ts'
import {
  type CacheOptions,
  type CallOptions,
  CLIENT_TIMEOUTS,
  type ClientEvent,
  type ClientTimeouts,
  type RequestOptions,
} from './options.ts'
import type { OutputValidation } from './output-validation.ts'
import { createQueries } from './queries.ts'
import { createRequester } from './requester.ts'
import { type Change, createSubscriptionManager } from './subscriptions.ts'
import { createToolCaller } from './tools.ts'
import type { Client, ConnectionStatus } from './types.ts'

/** Options of a client. Each input handler (`elicit`, `elicitUrl`, `sample`, `roots`) declares the matching capability. */
export interface ClientOptions<E extends readonly ClientExtension[] = readonly ClientExtension[]> extends InputHandlers {
  /** Name and version of your application, for display on the server. */
  readonly info?: Implementation
  /** Protocol extensions; each is declared to the server. Default: none. */
  readonly extensions?: E
  /** Capabilities to declare in addition to those of the input handlers: `sampling.tools`, `sampling.context`, unregistered extensions. */
  readonly capabilities?: ClientCapabilities
  /** Timeouts of every request. Default: 60 s without a response or progress, 10 minutes in total. */
  readonly timeouts?: Partial<ClientTimeouts>
  /** Timeouts for individual methods: `{ 'tools/call': { requestTimeoutMs: 300_000 } }`. */
  readonly methodTimeouts?: { readonly [method: string]: Partial<ClientTimeouts> }
  /** Maximum number of input round trips of one call. Default: 10. */
  readonly maxRoundTrips?: number
  /** Maximum number of pages of one list. The others are left out, with a warning. Default: 64. */
  readonly maxPages?: number
  /**
   * How the structured content of tools that were listed before is checked against their output schemas. `'report'`: content of another shape
   * (types, required members, enumerations) is an `InvalidResultError`, which has the `result`; details that do not match (formats, patterns,
   * limits) are reported as the event `output-mismatch`, and the result is delivered. `'strict'`: any mismatch is an error. `'off'`: nothing is
   * checked. Default: `'report'`.
   */
  readonly outputValidation?: OutputValidation
  /** Caches results that have a `ttlMs`; `false` disables the cache. */
  readonly cache?: CacheOptions | false
  /** Requests log messages of this level and above; they arrive as `log` events. */
  readonly logLevel?: LoggingLevel
  /** Middleware for every request. The first is the outermost. `client.use` adds more. */
  readonly middleware?: readonly Middleware[]
  /** Middleware for the input that servers request: it wraps `elicit`, `elicitUrl`, `sample` and `roots`. The first is the outermost. */
  readonly inputMiddleware?: readonly InputMiddleware[]
  /** Receives warnings, log messages and changes of the connection. Default: they are dropped. */
  readonly onEvent?: (event: ClientEvent) => void
}

/** The connection that a client sends its requests to. */
export interface ServerConnection {
  readonly exchange: Exchange
  readonly status: ConnectionStatus
  /** True if the transport sends `x-mcp-header` arguments as `Mcp-Param-*` headers. */
  readonly sendsParamHeaders: boolean
  /** The negotiated protocol version. */
  readonly protocolVersion: string
  /** Describes the connection to middleware. */
  readonly info?: ConnectionInfo
  close(): Promise<void>
}

/** A client, and what its connection needs from it. */
export interface ClientParts {
  readonly client: Client
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  /** Handles input requests that servers of the legacy era send on their own. */
  readonly handleInputRequest: InputRequestHandler
  readonly deadlines: Deadlines
  /** Looks up a method of the protocol or of an extension. */
  readonly methodOf: MethodLookup
}

const INFO: Implementation = { name: 'portcall', version: '0' }

/** Creates a client. `connection` is called for each request, so the connection may be created after the client. */
export function createClient(connection: () => ServerConnection, options: ClientOptions = {}): ClientParts {
  const { info = INFO, onEvent = () => {}, maxRoundTrips = 10, maxPages = PAGE_LIMITS.remote, logLevel } = options
  const capabilities = capabilitiesOf(options, declaredCapabilities(options))
  const middlewares: Middleware[] = [...(options.middleware ?? [])]
  const direct: Exchange = (request, context) => connection().exchange(request, context)
  let exchange = applyMiddleware(direct, middlewares)
  const tables = createExtensionTables()
  const methodOf: MethodLookup = (method) => tables.methods.get(method)

  const deadlines = createDeadlines()
  const requester = createRequester({
    exchange: () => exchange,
    connectionInfo: () => connection().info,
    info,
    capabilities,
    handleInputRequest: applyInputMiddleware(createInputRequestHandler(options), options.inputMiddleware),
    deadlines,
    timeouts: { ...CLIENT_TIMEOUTS, ...options.timeouts },
    methodTimeouts: options.methodTimeouts ?? {},
    maxRoundTrips,
    methodOf,
    resolvers: tables.resolvers,
    logLevel,
    onEvent,
  })
  const { handleInputRequest } = requester
  const cache = options.cache === false ? NO_CACHE : createCache(methodOf, options.cache)
  const cached = (method: string, params: JsonObject = {}, callOptions?: RequestOptions): Promise<JsonObject> => {
    const fetch = (): Promise<JsonObject> => toolCaller.request(method, params, callOptions)
    return callOptions?.headers ? fetch() : cache.get(method, params, fetch)
  }
  const list = <T>(definition: ListDefinition<T>, callOptions?: CallOptions): List<T> =>
    createPagedList<T>({
      ...definition,
      maxPages,
      fetch: (params) => cached(definition.method, params, callOptions),
      isDeclared: () => isDeclared(definition.method),
      onWarning: (message) => onEvent({ type: 'warning', message, method: definition.method }),
    })
  const isDeclared = async (method: string): Promise<boolean> => {
    const capability = METHODS.get(method)?.capability
    if (capability === undefined) return false
    const { capabilities } = await cached('server/discover').catch((): JsonObject => ({}))
    return readServerCapabilities(capabilities)[capability] !== undefined
  }

  const toolCaller = createToolCaller({
    requester,
    sendsParamHeaders: () => connection().sendsParamHeaders,
    outputValidation: options.outputValidation ?? 'report',
    refresh: () => {
      cache.invalidate('tools/list')
      return client.tools().toArray()
    },
    onEvent,
  })
  const subscriptions = createSubscriptionManager({ requester, onChange: createInvalidation(cache, tables.methods), onEvent })

  const client: Client = {
    get status() {
      return connection().status
    },
    get protocolVersion() {
      return connection().protocolVersion
    },
    ...createQueries(cached, requester.request),
    tools: (callOptions) => list<Tool>({ method: 'tools/list', key: 'tools', accept: toolCaller.register }, callOptions),
    resources: (callOptions) => list<Resource>({ method: 'resources/list', key: 'resources' }, callOptions),
    resourceTemplates: (callOptions) =>
      list<ResourceTemplate>({ method: 'resources/templates/list', key: 'resourceTemplates' }, callOptions),
    prompts: (callOptions) => list<Prompt>({ method: 'prompts/list', key: 'prompts' }, callOptions),
    callTool: (name, args = {}, callOptions = {}) => toolCaller.call(name, args as JsonObject, callOptions) as never,
    listen: (filter) => subscriptions.subscribe(checkFilter(filter)),
    request: toolCaller.request,
    exchange: async (request, context) => completeResponse(request.method, await exchange(request, context)),
    use(middleware) {
      checkClientMiddleware(middleware)
      middlewares.push(middleware)
      exchange = applyMiddleware(direct, middlewares)
      return client
    },
    async close() {
      for (const listener of tables.closeListeners.splice(0)) listener()
      subscriptions.closeAll()
      requester.abortAll(new ClientClosedError('The client was closed'))
      await connection().close()
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
  const points = { ...tables, handleInputRequest, onEvent, request: cached, list, subscribe: subscriptions.subscribe }
  for (const extension of options.extensions ?? []) extension.install(client, points)
  return { client, info, capabilities, handleInputRequest, deadlines, methodOf }
}

/** Returns the capabilities that do not depend on input handlers. */
function declaredCapabilities({ capabilities = {}, extensions = [] }: ClientOptions): ClientCapabilities {
  if (extensions.length === 0) return capabilities
  const declared = Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]))
  return { ...capabilities, extensions: { ...capabilities.extensions, ...declared } }
}

/** Creates the function that invalidates what a change affects: a resource, or all lists of a kind, also those of extensions. */
function createInvalidation(cache: Cache, methods: ReadonlyMap<string, MethodInfo>): (change: Change) => void {
  return (change) => {
    if (change.type === 'resource') cache.invalidate('resources/read', change.uri)
    else
      for (const [method, { capability, nameParam }] of methods)
        if (capability === change.type && !nameParam) cache.invalidate(method)
  }
}
