import type { Client } from '../../client/types.ts'
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../protocol/types.ts'
import { type ReadView, readViews } from './views/read-views.ts'

/** Everything that a server offers. */
export interface ServerInventory {
  /** The self-description of the server. */
  readonly discovered: Awaited<ReturnType<Client['discover']>>
  /** Its tools, in the order of the server. */
  readonly tools: readonly Tool[]
  /** Its resources. */
  readonly resources: readonly Resource[]
  /** Its resource templates. */
  readonly templates: readonly ResourceTemplate[]
  /** Its prompts. */
  readonly prompts: readonly Prompt[]
  /** The pages of its views: those that tools name, and those that are listed as resources. Absent: not read. */
  readonly views?: readonly ReadView[]
}

/** A list that could not be fetched. */
export interface ListFailure {
  /** The request that failed, such as `tools/list`. */
  readonly method: string
  /** Why it failed. */
  readonly error: unknown
}

/** Which lists to fetch, and how. */
export interface InventoryOptions {
  /** The lists to fetch; the others are empty. `views` reads the pages of views. Default: all. */
  readonly lists?: readonly ('tools' | 'resources' | 'templates' | 'prompts' | 'views')[]
  /** Time allowed for each list, in milliseconds. Default: that of the client. */
  readonly timeoutMs?: number
  /** Aborts the requests. */
  readonly signal?: AbortSignal
}

/** The lists of a server, as far as they could be fetched. */
export interface InventoryResult {
  /** The part of the inventory that could be fetched; the other lists are empty. */
  readonly inventory: ServerInventory
  /** The lists that could not be fetched. */
  readonly failures: readonly ListFailure[]
}

/**
 * Fetches the lists of a server, as far as it declares the capability. A list that fails does not stop the others.
 *
 * @throws whatever `client.discover` throws.
 */
export async function readInventory(
  client: Client,
  { lists: wanted, timeoutMs, signal }: InventoryOptions = {},
): Promise<InventoryResult> {
  const discovered = await client.discover()
  const { tools, resources, prompts } = discovered.capabilities
  const failures: ListFailure[] = []
  const options = {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeouts: { requestTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs } }),
  }
  const read = async <T>(isDeclared: unknown, method: string, fetch: () => Promise<T[]>): Promise<T[]> => {
    const name = method === 'resources/templates/list' ? 'templates' : method.split('/', 1)[0]
    if (!isDeclared || wanted?.every((list) => list !== name)) return []
    return fetch().catch((error: unknown) => {
      failures.push({ method, error })
      return []
    })
  }
  const lists = await Promise.all([
    read(tools, 'tools/list', () => client.tools(options).toArray()),
    read(resources, 'resources/list', () => client.resources(options).toArray()),
    read(resources, 'resources/templates/list', () => client.resourceTemplates(options).toArray()),
    read(prompts, 'prompts/list', () => client.prompts(options).toArray()),
  ])
  const [listedTools, listedResources, templates, listedPrompts] = lists
  const found = { discovered, tools: listedTools, resources: listedResources, templates, prompts: listedPrompts }
  const isWanted = wanted === undefined || wanted.includes('views')
  return { inventory: isWanted ? { ...found, views: await readViews(client, found, options) } : found, failures }
}

/** A list that a server answers without having declared it. */
export interface UndeclaredList {
  readonly capability: 'tools' | 'resources' | 'prompts'
  readonly count: number
}

/** Asks for the lists that a server does not declare. Hosts do not show what it answers. */
export async function probeUndeclared(client: Client): Promise<UndeclaredList[]> {
  const { capabilities } = await client.discover()
  const undeclared = (['tools', 'resources', 'prompts'] as const).filter((name) => !capabilities[name])
  const lists = await Promise.all(
    undeclared.map(async (capability) => {
      const result = await client.request(`${capability}/list`).catch(() => undefined)
      const items = result?.[capability]
      return { capability, count: Array.isArray(items) ? items.length : 0 }
    }),
  )
  return lists.filter(({ count }) => count > 0)
}
