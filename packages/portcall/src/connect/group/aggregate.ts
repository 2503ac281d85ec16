import type { List } from '../../client/lists.ts'
import type { CallOptions } from '../../client/options.ts'
import type { Client } from '../../client/types.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { invalidParams } from '../../protocol/errors.ts'
import type { GroupServer } from './group-server.ts'
import { createQualifiedNames, hasHash, type QualifiedName } from './names.ts'

/** The names of a group: those that the specification allows. */
const NAMES = createQualifiedNames({ maxLength: 128, dots: true })

/** An item and the name of its server. */
export type WithServer<T> = T & {
  /** The name of the server in the configuration. */
  readonly server: string
}

/** An item whose `name` is unique in the group. */
export type Namespaced<T> = WithServer<T> & {
  /** The name of the item on its server. */
  readonly originalName: string
}

/** The servers to list from. */
export interface AggregateOptions {
  readonly servers: ReadonlyMap<string, GroupServer>
  /** Called when a server is left out of a list because of an error. */
  readonly onServerFailed: (server: string, error: unknown) => void
}

/** Fetches a list from all servers in parallel. Servers that fail are left out; a server without the method has an empty list. */
export async function fetchFromAll<T>(
  { servers, onServerFailed }: AggregateOptions,
  fetch: (client: Client) => Promise<T[]>,
): Promise<{ server: string; items: T[] }[]> {
  const enabled = [...servers.values()].filter(({ status }) => status.state !== 'disabled')
  const lists = enabled.map(async (server) => ({ server: server.name, items: await fetchFrom(server, fetch) }))
  const outcomes = await Promise.allSettled(lists)
  return outcomes.flatMap((outcome, index) => {
    if (outcome.status === 'fulfilled') return [outcome.value]
    onServerFailed(enabled[index]?.name ?? '', outcome.reason)
    return []
  })
}

async function fetchFrom<T>(server: GroupServer, fetch: (client: Client) => Promise<T[]>): Promise<T[]> {
  const client = await server.client()
  return fetch(client).catch((error: unknown) => {
    if (error instanceof RpcError && error.code === ErrorCode.methodNotFound) return []
    throw error
  })
}

/** The tools or the prompts of all servers. */
export interface NamespacedList<T> {
  list(options?: CallOptions): List<Namespaced<T>>
  /** Resolves a qualified name. Lists the items only if the name has a hash. @throws RpcError when there is no such item. */
  find(qualifiedName: string): Promise<QualifiedName>
}

export interface NamespacedListOptions<T> extends AggregateOptions {
  /** The kind of item, for error messages. */
  readonly kind: string
  readonly list: (client: Client, options?: CallOptions) => List<T>
  /** Reports whether the configuration leaves an item on. Default: all. */
  readonly isOn?: (server: string, name: string) => boolean
}

/** Creates a list of the items of all servers, in the order of the configuration. */
export function createNamespacedList<T extends { name: string }>(options: NamespacedListOptions<T>): NamespacedList<T> {
  const { kind, list, servers, isOn = () => true } = options
  /** The items of each server whose names have a hash. */
  const hashed = new Map<string, Map<string, QualifiedName>>()

  const qualify = async (server: string, items: T[]): Promise<Namespaced<T>[]> => {
    const qualified = await Promise.all(
      items
        .filter(({ name }) => isOn(server, name))
        .map(async (item) => ({
          ...item,
          name: await NAMES.join({ server, name: item.name }),
          server,
          originalName: item.name,
        })),
    )
    const withHash = qualified
      .filter(({ name }) => hasHash(name))
      .map(({ name, originalName }) => [name, { server, name: originalName }] as const)
    hashed.set(server, new Map(withHash))
    return uniqueByName(qualified)
  }
  const listAll = async (callOptions?: CallOptions): Promise<Namespaced<T>[]> => {
    const lists = await fetchFromAll(options, (client) => list(client, callOptions).toArray())
    return (await Promise.all(lists.map(({ server, items }) => qualify(server, items)))).flat()
  }
  const findHashed = (qualifiedName: string): QualifiedName | undefined => {
    for (const names of hashed.values()) if (names.has(qualifiedName)) return names.get(qualifiedName)
    return undefined
  }

  return {
    list: (callOptions) => lazyList(() => listAll(callOptions)),
    async find(qualifiedName) {
      const parts = NAMES.split(qualifiedName)
      if (parts && servers.has(parts.server) && isOn(parts.server, parts.name)) return parts
      const found = hasHash(qualifiedName)
        ? (findHashed(qualifiedName) ?? (await listAll().then(() => findHashed(qualifiedName))))
        : undefined
      if (!found) throw invalidParams(`no server has the ${kind} ${qualifiedName.slice(0, 200)}`)
      return found
    },
  }
}

function uniqueByName<T extends { name: string }>(items: T[]): T[] {
  const names = new Set<string>()
  return items.filter(({ name }) => !names.has(name) && names.add(name))
}

/** Creates a list that is fetched when it is iterated. */
export function lazyList<T>(fetch: () => Promise<T[]>): List<T> {
  return {
    toArray: fetch,
    async *[Symbol.asyncIterator]() {
      yield* await fetch()
    },
  }
}
