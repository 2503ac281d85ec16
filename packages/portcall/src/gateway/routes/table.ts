import type { GatewayNameOptions } from '../api/options.ts'
import type { NamedItemKind } from '../policy/item-kinds.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { createNameRoutes, type NameRoutes } from './names.ts'
import { createUriRoutes, type UriRoutes } from './uris.ts'

/** The servers of a gateway and the names of their items. It is replaced as a whole when the servers change. */
export interface RoutingTable {
  readonly upstreams: readonly GatewayUpstream[]
  readonly byName: ReadonlyMap<string, GatewayUpstream>
  readonly byAlias: ReadonlyMap<string, GatewayUpstream>
  readonly names: { readonly [kind in NamedItemKind]: NameRoutes }
  readonly uris: UriRoutes
  /** The only server, if names do not change: requests can be passed on as they are. */
  readonly single: GatewayUpstream | undefined
}

/** Models do not get the names of event types, so they may be as long as names of servers can be, and have dots. */
const EVENT_NAMES = { maxLength: 192, dots: true }

/** The owner of the routing table. */
export interface CurrentTable {
  readonly table: RoutingTable
}

/** @throws TypeError if two servers have the same alias. */
export function createRoutingTable(upstreams: readonly GatewayUpstream[], options: GatewayNameOptions = {}): RoutingTable {
  const prefixed = upstreams.filter(({ alias }) => alias !== '')
  const byAlias = new Map(prefixed.map((upstream) => [upstream.alias, upstream]))
  if (byAlias.size < prefixed.length) throw new TypeError('Two servers have the same alias')
  return {
    upstreams,
    byName: new Map(upstreams.map((upstream) => [upstream.name, upstream])),
    byAlias,
    names: {
      tool: createNameRoutes({ ...options, servers: byAlias }),
      prompt: createNameRoutes({ ...options, servers: byAlias }),
      event: createNameRoutes({ ...EVENT_NAMES, ...(options.mode && { mode: options.mode }), servers: byAlias }),
    },
    uris: createUriRoutes(upstreams.map(({ name }) => name)),
    single: options.mode === 'never' && upstreams.length === 1 ? upstreams[0] : undefined,
  }
}
