import type { ClientOptions } from '../client/client-options.ts'
import type { List } from '../client/lists.ts'
import type { CallOptions, ClientEvent } from '../client/options.ts'
import type { Client } from '../client/surface.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../protocol/types.ts'
import type { Config, ServerConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import type { Entry } from './entry.ts'
import { createAbsentMember, createMember, type Member, type MemberStatus } from './member.ts'
import { createNamed, type OfServer, type Renamed } from './merged.ts'
import { createMergedResources } from './merged-resources.ts'

/** What a group tells its host: what its clients tell, and servers that cannot be used at the moment. */
export type GroupEvent = (ClientEvent | { readonly type: 'failed'; readonly error: unknown }) & { readonly server?: string }

/** How the clients of a group behave. A cache store is shared by them; what rests there stays apart. */
export type GroupOptions<O extends ClientOptions = ClientOptions> = Omit<O, 'onEvent' | 'signal'> & {
  /** More options for one server, by its name: an answer that knows who asks, for example. */
  readonly optionsOf?: (server: string) => Omit<O, 'onEvent' | 'signal'>
  readonly onEvent?: (event: GroupEvent) => void
}

/**
 * Several servers, each with its own fate, and one view of all. A server is started by its first use; a list is a use of every server.
 * Tools and prompts are called `server__name` here (with a hash at the end where that would be too long, ambiguous, or has characters
 * that names do not have), so that no two are called the same.
 */
export interface ClientGroup extends AsyncDisposable {
  /** The names of the servers, in the order of the configuration. */
  readonly servers: readonly string[]
  /** How each server is. */
  readonly status: { readonly [server: string]: MemberStatus }
  /** The client of one server, started unless it runs. Rejects with why it cannot be had; the next use tries again. */
  client(server: string): Promise<Client>
  /** The tools of all servers that answer; for each other one there is an event, and its error in `status`. */
  tools(options?: CallOptions): List<Renamed<Tool>>
  prompts(options?: CallOptions): List<Renamed<Prompt>>
  resources(options?: CallOptions): List<OfServer<Resource>>
  templates(options?: CallOptions): List<OfServer<ResourceTemplate>>
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>
  getPrompt(name: string, args?: Record<string, string>, options?: CallOptions): Promise<GetPromptResult>
  /** Reads a resource of the server that is named, or of the first that lists it or has a template for it. */
  read(uri: string, options?: CallOptions & { readonly server?: string }): Promise<ReadResourceResult>
  /** Closes all of them at the same time. */
  close(): Promise<void>
}

/** Opens one server. */
export type OpenEntry = (entry: Entry, options: ClientOptions & { readonly signal: AbortSignal }) => Promise<Client>

/** Makes a group of what a configuration names. */
export function createGroup(config: Config, open: OpenEntry, options: GroupOptions = {}): ClientGroup {
  const { onEvent = () => {} } = options
  const memberOf = (server: ServerConfig): Member => {
    const { name } = server
    if ('disabled' in server) return createAbsentMember(name, 'disabled')
    if ('error' in server) return createAbsentMember(name, server.error)
    return createMember(name, (signal) => open(server, { ...clientOptions(name, options), signal }))
  }
  const members = new Map(config.servers.map((server) => [server.name, memberOf(server)]))
  const merge = { members, onLeftOut: (server: string, error: unknown) => onEvent({ type: 'failed', server, error }) }
  const tools = createNamed<Tool>({ ...merge, kind: 'tool', list: (client, given) => client.tools(given) })
  const prompts = createNamed<Prompt>({ ...merge, kind: 'prompt', list: (client, given) => client.prompts(given) })
  const resources = createMergedResources(merge)
  for (const message of config.notes) onEvent({ type: 'warning', message })

  const client = async (server: string): Promise<Client> => {
    const member = members.get(server)
    if (!member) throw new ConfigError(`The configuration has no server ${server}`)
    return member.client()
  }
  const close = async (): Promise<void> => {
    await Promise.all([...members.values()].map((member) => member.close()))
  }
  return {
    servers: [...members.keys()],
    get status() {
      return Object.fromEntries([...members].map(([name, { status }]) => [name, status]))
    },
    client,
    tools: tools.list,
    prompts: prompts.list,
    resources: resources.resources,
    templates: resources.templates,
    async callTool(joined, args, given) {
      const { server, name } = await tools.find(joined)
      return (await client(server)).callTool(name, args, given)
    },
    async getPrompt(joined, args, given) {
      const { server, name } = await prompts.find(joined)
      return (await client(server)).getPrompt(name, args, given)
    },
    async read(uri, { server, ...given } = {}) {
      return (await client(server ?? (await resources.find(uri)))).read(uri, given)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The options of one client. Its cache has a part of the store to itself, for a key there does not name the server. */
function clientOptions(server: string, { optionsOf, onEvent, ...shared }: GroupOptions): ClientOptions {
  const own: ClientOptions = { ...shared, ...optionsOf?.(server) }
  const cache = own.cache && { ...own.cache, partition: JSON.stringify([server, own.cache.partition ?? '']) }
  return { ...own, ...(cache && { cache }), onEvent: (event) => onEvent?.({ ...event, server }) }
}
