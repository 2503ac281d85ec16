import type { List } from '../client/lists.ts'
import type { CallOptions } from '../client/options.ts'
import type { Client } from '../client/surface.ts'
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { invalidParams } from '../protocol/errors.ts'
import type { Member } from './member.ts'
import { hasHash, joinName, type Origin, splitName } from './names.ts'

/** An item, and which of several servers has it. */
export type OfServer<T> = T & { readonly server: string }

/** An item that has a name of its own among those of all servers, and what its server calls it. */
export type Renamed<T> = OfServer<T> & { readonly originalName: string }

/** Tells that a server is left out of a list, and why. */
export type OnLeftOut = (server: string, error: unknown) => void

/** What lists of several servers have in common. */
export interface MergeOptions {
  readonly members: ReadonlyMap<string, Member>
  readonly onLeftOut: OnLeftOut
}

/** Gets one list of all servers at the same time. Those that fail are left out; one that has nothing of the kind has an empty list. */
export async function fromAll<T>(
  { members, onLeftOut }: MergeOptions,
  fetch: (client: Client) => Promise<T[]>,
): Promise<{ server: string; items: T[] }[]> {
  const usable = [...members.values()].filter(({ status }) => status.state !== 'disabled')
  const lists = usable.map(async (member) => ({ server: member.name, items: await listOf(member, fetch) }))
  const settled = await Promise.allSettled(lists)
  return settled.flatMap((one, at) => {
    if (one.status === 'fulfilled') return [one.value]
    onLeftOut(usable[at]?.name ?? '', one.reason)
    return []
  })
}

async function listOf<T>(member: Member, fetch: (client: Client) => Promise<T[]>): Promise<T[]> {
  const client = await member.client()
  return fetch(client).catch((error: unknown) => {
    if (error instanceof RpcError && error.code === ErrorCode.methodNotFound) return []
    throw error
  })
}

/** Items that have names, of all servers: tools or prompts. */
export interface Named<T> {
  list(options?: CallOptions): List<Renamed<T>>
  /** Finds what is behind a joined name; lists only when the name does not say it. @throws RpcError when nothing is. */
  find(joined: string): Promise<Origin>
}

/** How one kind of named items is listed. */
export interface NamedOptions<T> extends MergeOptions {
  readonly kind: string
  readonly list: (client: Client, options?: CallOptions) => List<T>
}

/** Makes one list of the items of all servers, in the order of the configuration. */
export function createNamed<T extends { name: string }>({ kind, list, ...merge }: NamedOptions<T>): Named<T> {
  const hashed = new Map<string, Map<string, Origin>>()

  const rename = async (server: string, items: T[]): Promise<Renamed<T>[]> => {
    const renamed = await Promise.all(
      items.map(async (item) => ({
        ...item,
        name: await joinName({ server, name: item.name }),
        server,
        originalName: item.name,
      })),
    )
    const tails = renamed
      .filter(({ name }) => hasHash(name))
      .map(({ name, originalName }) => [name, { server, name: originalName }] as const)
    hashed.set(server, new Map(tails))
    return unique(renamed)
  }
  const all = async (options?: CallOptions): Promise<Renamed<T>[]> => {
    const lists = await fromAll(merge, (client) => list(client, options).toArray())
    return (await Promise.all(lists.map(({ server, items }) => rename(server, items)))).flat()
  }
  const remembered = (joined: string): Origin | undefined => {
    for (const names of hashed.values()) if (names.has(joined)) return names.get(joined)
    return undefined
  }

  return {
    list: (options) => lazyList(() => all(options)),
    async find(joined) {
      const origin = splitName(joined)
      if (origin && merge.members.has(origin.server)) return origin
      const found = hasHash(joined) ? (remembered(joined) ?? (await all().then(() => remembered(joined)))) : undefined
      if (!found) throw invalidParams(`no server has the ${kind} ${joined.slice(0, 200)}`)
      return found
    },
  }
}

function unique<T extends { name: string }>(items: T[]): T[] {
  const seen = new Set<string>()
  return items.filter(({ name }) => !seen.has(name) && seen.add(name))
}

/** A list that is fetched when it is iterated. */
export function lazyList<T>(fetch: () => Promise<T[]>): List<T> {
  return {
    toArray: fetch,
    async *[Symbol.asyncIterator]() {
      yield* await fetch()
    },
  }
}
