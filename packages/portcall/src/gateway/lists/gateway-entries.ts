import type * as Cards from '../../cards/server-card.ts'
import { CARD_TYPE, type CatalogEntry } from '../../protocol/server-card.ts'
import type { Implementation } from '../../protocol/types.ts'
import { serverPathOf } from '../policy/server-paths.ts'

/** A gateway that describes its servers. */
export interface DescribedServers {
  /** Resolves to what servers say about themselves, by their names. */
  publicServers(): Promise<ReadonlyMap<string, Implementation>>
}

/**
 * Returns the entries of a catalog for the servers of a gateway, each with a card whose endpoint is the path of the server at the gateway. Only servers
 * that callers without authorization may know are listed, because everybody may read a catalog. Pass it as `card.catalog.entries`, and
 * `serverPaths` as middleware.
 *
 * @example
 * const gateway = createGateway({ servers, middleware: [serverPaths({ servers: Object.keys(servers) })] })
 * await serve(gateway, { path: '/mcp/*', card: { catalog: { entries: gatewayEntries(gateway) } } })
 */
export function gatewayEntries(gateway: DescribedServers): (endpoint: URL) => Promise<readonly CatalogEntry[]> {
  return async (endpoint) => {
    const servers = await gateway.publicServers()
    const cards = await import('../../cards/server-card.ts')
    const entries = [...servers].flatMap(([name, info]) => entryOf({ endpoint, name, info }, cards) ?? [])
    // Names that differ only in characters that identifiers do not have.
    return [...new Map(entries.map((entry) => [entry.identifier, entry])).values()]
  }
}

/** A server of the gateway at an endpoint. */
interface NamedServer {
  readonly endpoint: URL
  readonly name: string
  readonly info: Implementation
}

/** Returns the entry of a server. One whose information makes no valid card has none. */
function entryOf({ endpoint, name, info }: NamedServer, cards: typeof Cards): CatalogEntry | undefined {
  const url = new URL(serverPathOf(endpoint.pathname, name), endpoint.origin)
  const { title = info.name, description = title } = info
  try {
    // The name is that of the server at this gateway: other gateways may have the same server.
    const card = cards.createServerCard({ info: { ...info, name, title, description }, url, versions: [] })
    return { identifier: cards.identifierOf(card.name, 'gateway'), type: CARD_TYPE, data: card }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
