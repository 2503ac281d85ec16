import { type Exchange, type Middleware, wrap } from '../jsonrpc/exchange.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type {
  CallToolResult,
  Implementation,
  Prompt,
  Resource,
  ResourceTemplate,
  SubscriptionFilter,
  Tool,
} from '../protocol/types.ts'
import { type Cache, createCache, NO_CACHE } from './cache.ts'
import { createCaller } from './call.ts'
import { type Clocks, createClocks } from './deadline.ts'
import { ConnectionClosed } from './errors.ts'
import { type Answer, capabilitiesOf, createAnswer } from './input.ts'
import { createList, type List, type ListOptions } from './lists.ts'
import { type CallOptions, CLIENT_DEADLINES, type ClientOptions, type RawOptions } from './options.ts'
import { createReads, type Reads } from './reads.ts'
import { type Change, type Subscription, subscribe } from './subscribe.ts'
import { createToolbox } from './tools.ts'

/** The tools of a server as types. */
export type ToolTypes = { [name: string]: { input: unknown; output: unknown } }

type AnyTools = { [name: string]: { input: JsonObject; output: unknown } }
type ResultOf<Output> = unknown extends Output
  ? CallToolResult
  : Omit<CallToolResult, 'structuredContent'> & { structuredContent?: Output }

/** A server as its user sees it, of whatever revision and behind whatever transport. */
export interface Client<T extends ToolTypes = AnyTools> extends Reads, AsyncDisposable {
  readonly status: Status
  tools(options?: CallOptions): List<Tool>
  resources(options?: CallOptions): List<Resource>
  templates(options?: CallOptions): List<ResourceTemplate>
  prompts(options?: CallOptions): List<Prompt>
  /**
   * Calls a tool. A tool that fails has a result with `isError`; what is thrown means that it was not called, or not heard of again.
   *
   * @throws InvalidResult when the structured content does not fit the output schema of a tool that was listed before.
   */
  callTool<Name extends keyof T & string>(
    name: Name,
    args?: T[Name]['input'],
    options?: CallOptions,
  ): Promise<ResultOf<T[Name]['output']>>
  /** Hears of changes. */
  listen(filter: SubscriptionFilter): Subscription
  /** Sends any request, of an extension for example. */
  request(method: string, params?: JsonObject, options?: RawOptions): Promise<JsonObject>
  /** Puts middleware around every request; the first is the outermost. */
  use(middleware: Middleware): Client<T>
  /** Ends everything; nothing is left. */
  close(): Promise<void>
}

/** `lost`: the next request tries to get the server back. `closed`: nothing does. */
export type Status = 'open' | 'lost' | 'closed'

/** What a client talks to. */
export interface Connection {
  readonly exchange: Exchange
  readonly status: Status
  /** Whether arguments have to be mirrored in headers. */
  readonly mirrors: boolean
  close(): Promise<void>
}

/** A client and what its connection needs of it. */
export interface ClientParts {
  readonly client: Client
  readonly info: Implementation
  readonly capabilities: ReturnType<typeof capabilitiesOf>
  /** Answers servers that ask by themselves. */
  readonly answer: Answer
  /** Stand still while a user is asked, whoever asks. */
  readonly clocks: Clocks
}

const INFO: Implementation = { name: 'portcall', version: '0' }

/** Makes a client of a connection that may still have to be opened when the first request is made. */
export function createClient(connection: () => Connection, options: ClientOptions = {}): ClientParts {
  const { info = INFO, onEvent = () => {}, maxRounds = 10, maxPages = 64, logLevel } = options
  const capabilities = capabilitiesOf(options, options.capabilities)
  const layers: Middleware[] = [...(options.middleware ?? [])]
  const subscriptions = new Set<Subscription>()
  const direct: Exchange = (request, context) => connection().exchange(request, context)
  let exchange = wrap(direct, layers)

  const clocks = createClocks()
  const deadlines = { ...CLIENT_DEADLINES, ...options.deadlines }
  const caller = createCaller({
    exchange: () => exchange,
    info,
    capabilities,
    answer: createAnswer(options),
    clocks,
    deadlines,
    methodDeadlines: options.methodDeadlines ?? {},
    maxRounds,
    logLevel,
    onEvent,
  })
  const cache = options.cache === false ? NO_CACHE : createCache(options.cache)
  const cached = (method: string, params: JsonObject, given?: CallOptions): Promise<JsonObject> => {
    const fetch = (): Promise<JsonObject> => caller.request(method, params, given)
    return given?.headers ? fetch() : cache.get(method, params, fetch)
  }
  const listOf = <T>(list: Pick<ListOptions<T>, 'method' | 'key' | 'admit'>, given?: CallOptions): List<T> =>
    createList<T>({ ...list, maxPages, fetch: (params) => cached(list.method, params, given) })

  const toolbox = createToolbox({
    caller,
    mirrors: () => connection().mirrors,
    refresh: () => {
      cache.drop('tools/list')
      return client.tools().toArray()
    },
    onEvent,
  })
  const onChange = staleBy(cache)

  const client: Client = {
    get status() {
      return connection().status
    },
    ...createReads(cached, caller.request),
    tools: (given) => listOf<Tool>({ method: 'tools/list', key: 'tools', admit: toolbox.admit }, given),
    resources: (given) => listOf<Resource>({ method: 'resources/list', key: 'resources' }, given),
    templates: (given) => listOf<ResourceTemplate>({ method: 'resources/templates/list', key: 'resourceTemplates' }, given),
    prompts: (given) => listOf<Prompt>({ method: 'prompts/list', key: 'prompts' }, given),
    callTool: (name, args = {}, given = {}) => toolbox.call(name, args as JsonObject, given) as never,
    listen(filter) {
      const subscription: Subscription = subscribe(filter, {
        caller,
        onChange,
        onEvent,
        onEnd: () => subscriptions.delete(subscription),
      })
      subscriptions.add(subscription)
      return subscription
    },
    request: caller.request,
    use(middleware) {
      layers.push(middleware)
      exchange = wrap(direct, layers)
      return client
    },
    async close() {
      for (const subscription of subscriptions) subscription.close()
      caller.abandon(new ConnectionClosed('The client was closed'))
      await connection().close()
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
  return { client, info, capabilities, answer: caller.answer, clocks }
}

/** Makes stale in a cache what a change is about. */
function staleBy(cache: Cache): (change: Change) => void {
  return (change) => {
    if (change.type === 'resource') cache.drop('resources/read', change.uri)
    else for (const method of STALE[change.type]) cache.drop(method)
  }
}

/** What a change of a list makes stale. */
const STALE = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list'],
} as const
