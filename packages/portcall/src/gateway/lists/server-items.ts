import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { ALL_CAPABILITIES } from '../../protocol/all-capabilities.ts'
import { readServerCapabilities } from '../../protocol/capabilities.ts'
import { clientMeta } from '../../protocol/probes.ts'
import type { Implementation } from '../../protocol/types.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import { GATEWAY_KINDS, isNamedKind } from '../policy/item-kinds.ts'
import type { GatewayItemKind } from '../policy/types.ts'
import type { RoutingTable } from '../routes/table.ts'
import { fetchPages, requestResult } from '../upstreams/fetch-list.ts'
import { createContext } from '../upstreams/own-context.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'

/** An item that a server of a gateway lists. */
export interface ServerItem {
  /** The item as the server lists it. */
  readonly definition: JsonObject
  /**
   * The names under which the gateway offers the item: two if it depends on other servers which of them it is, and none if the filters of the server
   * leave it out. Resources and templates have their own URI.
   */
  readonly offeredAs: readonly string[]
}

const FETCH_TIMEOUT_MS = 60_000

export interface ServerItemsContext {
  readonly info: Implementation
  readonly policies: CombinedPolicies
  readonly table: RoutingTable
}

/** Fetches all that a server lists, by its names on the server. Returns `undefined` if the gateway itself cannot list it. */
export async function listServerItems(
  upstream: GatewayUpstream | undefined,
  kind: GatewayItemKind,
  context: ServerItemsContext,
): Promise<ReadonlyMap<string, ServerItem> | undefined> {
  if (!upstream?.listsAll || upstream.status.state !== 'ready') return undefined
  try {
    return await fetchItems(upstream, kind, context)
  } catch {
    return undefined
  }
}

async function fetchItems(
  upstream: GatewayUpstream,
  kind: GatewayItemKind,
  { info: clientInfo, policies, table }: ServerItemsContext,
): Promise<ReadonlyMap<string, ServerItem>> {
  const info = GATEWAY_KINDS[kind]
  const _meta = clientMeta(clientInfo, ALL_CAPABILITIES)
  const own = createContext(AbortSignal.timeout(FETCH_TIMEOUT_MS), undefined)
  const exchange = upstream.exchangeUnder(policies)
  const request = (method: string, params: JsonObject = {}): Promise<JsonObject> =>
    requestResult(exchange, { method, params: { ...params, _meta } }, own)
  const { capabilities } = await request('server/discover')
  if (!info.isDeclared(readServerCapabilities(capabilities))) return new Map()
  const { items } = await fetchPages(
    (params) => request(info.method, params),
    info,
    () => {},
  )
  const definitions = items.filter(isObject)
  const offered = await Promise.all(
    definitions.map((item) => offeredNames(upstream, kind, { name: String(item[info.id]), table })),
  )
  return new Map(
    definitions.map((definition, at) => [String(definition[info.id]), { definition, offeredAs: offered[at] ?? [] }] as const),
  )
}

async function offeredNames(
  { alias, filters }: GatewayUpstream,
  kind: GatewayItemKind,
  { name, table }: { readonly name: string; readonly table: RoutingTable },
): Promise<readonly string[]> {
  const { accepts, rename } = filters[kind]
  if (!accepts(name)) return []
  return isNamedKind(kind) ? table.names[kind].possibleNames({ server: alias, name: rename(name) }) : [name]
}
