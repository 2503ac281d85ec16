import { type Exchange, type Middleware, wrap } from '../jsonrpc/exchange.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { MethodOf } from '../protocol/methods.ts'
import type { ClientCapabilities, Implementation, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/types.ts'
import { type Cache, createCache, NO_CACHE } from './cache.ts'
import { createCaller } from './call.ts'
import type { ClientOptions } from './client-options.ts'
import { type Clocks, createClocks } from './deadline.ts'
import { ConnectionClosed } from './errors.ts'
import { type Answer, capabilitiesOf, createAnswer } from './input.ts'
import { createListening } from './listening.ts'
import { createList, type List, type ListOf } from './lists.ts'
import { type CallOptions, CLIENT_DEADLINES, type RawOptions } from './options.ts'
import { createReads } from './reads.ts'
import { type ClientSeams, createTables } from './seams.ts'
import type { Change } from './subscribe.ts'
import type { Client, Status } from './surface.ts'
import { createToolbox } from './tools.ts'

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
  /** What is known of each method, those of extensions included. */
  readonly methodOf: MethodOf
}

const INFO: Implementation = { name: 'portcall', version: '0' }

/** Makes a client of a connection that may still have to be opened when the first request is made. */
export function createClient(connection: () => Connection, options: ClientOptions = {}): ClientParts {
  const { info = INFO, onEvent = () => {}, maxRounds = 10, maxPages = 64, logLevel } = options
  const capabilities = capabilitiesOf(options, declaredBy(options))
  const layers: Middleware[] = [...(options.middleware ?? [])]
  const direct: Exchange = (request, context) => connection().exchange(request, context)
  let exchange = wrap(direct, layers)
  const tables = createTables()
  const methodOf: MethodOf = (method) => tables.methods.get(method)

  const clocks = createClocks()
  const caller = createCaller({
    exchange: () => exchange,
    info,
    capabilities,
    answer: createAnswer(options),
    clocks,
    deadlines: { ...CLIENT_DEADLINES, ...options.deadlines },
    methodDeadlines: options.methodDeadlines ?? {},
    maxRounds,
    methodOf,
    finishers: tables.finishers,
    logLevel,
    onEvent,
  })
  const cache = options.cache === false ? NO_CACHE : createCache(methodOf, options.cache)
  const cached = (method: string, params: JsonObject = {}, given?: RawOptions): Promise<JsonObject> => {
    const fetch = (): Promise<JsonObject> => caller.request(method, params, given)
    return given?.headers ? fetch() : cache.get(method, params, fetch)
  }
  const listOf = <T>(list: ListOf<T>, given?: CallOptions): List<T> =>
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
  const listening = createListening({ caller, onChange: staleBy(cache), onEvent })

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
    listen: (filter) => listening.listen(filter),
    request: caller.request,
    use(middleware) {
      layers.push(middleware)
      exchange = wrap(direct, layers)
      return client
    },
    async close() {
      for (const end of tables.closing.splice(0)) end()
      listening.close()
      caller.abandon(new ConnectionClosed('The client was closed'))
      await connection().close()
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
  const seams: ClientSeams = {
    ...tables,
    answer: caller.answer,
    onEvent,
    request: cached,
    list: listOf,
    listen: listening.listen,
  }
  for (const extension of options.extensions ?? []) extension.join(client, seams)
  return { client, info, capabilities, answer: caller.answer, clocks, methodOf }
}

/** What is declared whatever the answers are. */
function declaredBy({ capabilities = {}, extensions = [] }: ClientOptions): ClientCapabilities {
  const spoken = Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]))
  return extensions.length > 0 ? { ...capabilities, extensions: { ...capabilities.extensions, ...spoken } } : capabilities
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
