import type { ClientOptions } from '../../client/client.ts'
import type { List } from '../../client/lists.ts'
import type { CallOptions, ClientEvent } from '../../client/options.ts'
import type { Client } from '../../client/types.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../../protocol/types.ts'
import { ConfigError } from '../config/errors.ts'
import type { ServerEntry } from '../config/server-entry.ts'
import { createToolFilter } from '../config/tool-filter.ts'
import type { Config, ServerConfig } from '../config/types.ts'
import { createNamespacedList, type Namespaced, type WithServer } from './aggregate.ts'
import { createAggregatedResources } from './aggregate-resources.ts'
import { createGroupServer, createUnavailableServer, type GroupServer, type ServerStatus } from './group-server.ts'

/** An event of one of the clients, or of a server that could not be reached. */
export type GroupEvent = (
  | ClientEvent
  | {
      /** A server could not be reached, and was left out of a list. */
      readonly type: 'failed'
      /** Why it could not be reached. */
      readonly error: unknown
    }
) & {
  /** The name of the server. Absent for warnings about the configuration as a whole. */
  readonly server?: string
}

/** Options of the clients of a group. They share a cache store; each server has its own partition. */
export type GroupOptions<O extends ClientOptions = ClientOptions> = Omit<O, 'onEvent' | 'signal'> & {
  /** Returns additional options for one server, such as an input handler that shows the server's name. */
  readonly optionsOf?: (server: string) => Omit<O, 'onEvent' | 'signal'>
  /** Receives the events of all clients. Default: they are ignored. */
  readonly onEvent?: (event: GroupEvent) => void
}

/**
 * The clients of several servers, and a combined view of them. A server is started by its first use; listing uses every server. Tools and
 * prompts are renamed to `server__name`. A hash is appended where that name would be too long, ambiguous or contain invalid characters, so
 * that names are unique.
 */
export interface ClientGroup extends AsyncDisposable {
  /** The names of the servers, in the order of the configuration. */
  readonly servers: readonly string[]
  /** The state of each server, by name. */
  readonly status: { readonly [server: string]: ServerStatus }
  /** Returns the client of one server, and starts the server if necessary. After a failure, the next call tries again. */
  client(server: string): Promise<Client>
  /** Lists the tools of all servers. A server that fails is left out; its error is in `status` and in a `failed` event. */
  tools(options?: CallOptions): List<Namespaced<Tool>>
  /** Lists the prompts of all servers. A server that fails is left out. */
  prompts(options?: CallOptions): List<Namespaced<Prompt>>
  /** Lists the resources of all servers. A server that fails is left out. */
  resources(options?: CallOptions): List<WithServer<Resource>>
  /** Lists the resource templates of all servers. A server that fails is left out. */
  resourceTemplates(options?: CallOptions): List<WithServer<ResourceTemplate>>
  /** Calls a tool by its name in the group. */
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>
  /** Returns the messages of a prompt, by its name in the group. */
  getPrompt(name: string, args?: Record<string, string>, options?: CallOptions): Promise<GetPromptResult>
  /** Reads a resource of `server`, or else of the first server that lists it or has a matching template. */
  readResource(uri: string, options?: CallOptions & { readonly server?: string }): Promise<ReadResourceResult>
  /** Closes all clients. */
  close(): Promise<void>
}

/** Connects to one server. */
export type OpenServer = (entry: ServerEntry, options: ClientOptions & { readonly signal: AbortSignal }) => Promise<Client>

/** Returns what reports whether the configuration leaves a tool on. */
function createToolCheck({ servers }: Config): (server: string, tool: string) => boolean {
  const checks = new Map(
    servers.flatMap((server) =>
      'tools' in server && server.tools ? [[server.name, createToolFilter(server.tools)] as const] : [],
    ),
  )
  return (server, tool) => checks.get(server)?.(tool) ?? true
}

/** Creates a group of the servers of a configuration. */
export function createGroup(config: Config, open: OpenServer, options: GroupOptions = {}): ClientGroup {
  const { onEvent = () => {} } = options
  const createServer = (server: ServerConfig): GroupServer => {
    const { name } = server
    if ('disabled' in server) return createUnavailableServer(name, 'disabled')
    if ('error' in server) return createUnavailableServer(name, server.error)
    return createGroupServer(name, (signal) => open(server, { ...clientOptions(name, options), signal }))
  }
  const servers = new Map(config.servers.map((server) => [server.name, createServer(server)]))
  const onServerFailed = (server: string, error: unknown): void => onEvent({ type: 'failed', server, error })
  const aggregate = { servers, onServerFailed }
  const tools = createNamespacedList<Tool>({
    ...aggregate,
    kind: 'tool',
    list: (client, call) => client.tools(call),
    isOn: createToolCheck(config),
  })
  const prompts = createNamespacedList<Prompt>({ ...aggregate, kind: 'prompt', list: (client, call) => client.prompts(call) })
  const resources = createAggregatedResources(aggregate)
  for (const message of config.warnings) onEvent({ type: 'warning', message })

  const clientOf = async (name: string): Promise<Client> => {
    const server = servers.get(name)
    if (!server) throw new ConfigError(`The configuration has no server ${name}`)
    return server.client()
  }
  const close = async (): Promise<void> => {
    await Promise.all([...servers.values()].map((server) => server.close()))
  }
  return {
    servers: [...servers.keys()],
    get status() {
      return Object.fromEntries([...servers].map(([name, { status }]) => [name, status]))
    },
    client: clientOf,
    tools: tools.list,
    prompts: prompts.list,
    resources: resources.resources,
    resourceTemplates: resources.templates,
    async callTool(qualifiedName, args, callOptions) {
      const { server, name } = await tools.find(qualifiedName)
      return (await clientOf(server)).callTool(name, args, callOptions)
    },
    async getPrompt(qualifiedName, args, callOptions) {
      const { server, name } = await prompts.find(qualifiedName)
      return (await clientOf(server)).getPrompt(name, args, callOptions)
    },
    async readResource(uri, { server, ...callOptions } = {}) {
      return (await clientOf(server ?? (await resources.find(uri)))).readResource(uri, callOptions)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Returns the options of one client. Its cache gets a partition of its own, because cache keys do not contain the server. */
function clientOptions(server: string, { optionsOf, onEvent, ...shared }: GroupOptions): ClientOptions {
  const own: ClientOptions = { ...shared, ...optionsOf?.(server) }
  const cache = own.cache && { ...own.cache, partition: JSON.stringify([server, own.cache.partition ?? '']) }
  return { ...own, ...(cache && { cache }), onEvent: (event) => onEvent?.({ ...event, server }) }
}
