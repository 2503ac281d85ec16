import { sessionOf } from '../../protocol/caller-identity.ts'
import type { Caller } from '../policy/caller.ts'
import { GATEWAY_KINDS, isNamedKind } from '../policy/item-kinds.ts'
import type { ItemSelection } from '../policy/item-selection.ts'
import type { GatewayCaller, GatewayItemKind } from '../policy/types.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'

/** The name of an item that no policy names. */
const UNNAMED = '\u0000'
const ALL_KINDS = Object.values(GATEWAY_KINDS).map(({ kind }) => kind)

/**
 * Reports whether a caller may learn the name and the description of a server: if the caller may see an item of these kinds that the server
 * has listed, or one that no policy names. With a selection, one of the items must be a part of it.
 */
export function mayKnowServer(upstream: GatewayUpstream, caller: Caller, kinds: readonly GatewayItemKind[] = ALL_KINDS): boolean {
  const { policies, auth, capabilities, clientInfo, selection } = caller
  if (!isAtPath(upstream, caller)) return false
  if (selection && !isSelected(upstream, caller, { selection, kinds })) return false
  if (policies.isEmpty) return true
  // Policies report decisions about requests. This is not part of one.
  const asked: GatewayCaller = { auth, capabilities, clientInfo }
  return kinds.some((kind) => {
    const listed = upstream.catalogue.known(kind, caller)?.items ?? []
    return [[UNNAMED, {}] as const, ...listed].some(([name, definition]) =>
      policies.isVisible({ server: upstream.name, kind, name, definition }, asked),
    )
  })
}

/** Reports whether a server is offered at the path of a request. */
export function isAtPath({ name }: Pick<GatewayUpstream, 'name'>, { selection }: Pick<Caller, 'selection'>): boolean {
  return selection?.server === undefined || selection.server === name
}

/** Reports whether the gateway offers the Events extension: a server has it, or may have it. Clients with a session are of an older revision. */
export function mayOfferEvents(upstreams: readonly GatewayUpstream[], caller: Caller): boolean {
  if (sessionOf(caller.request)) return false
  return upstreams.some((upstream) => {
    if (!isAtPath(upstream, caller)) return false
    const info = upstream.catalogue.knownInfo(caller)
    return !info || GATEWAY_KINDS.event.isDeclared(info.capabilities)
  })
}

/** Reports whether a selection contains items of a server: those that it has listed, or those that its prefix allows. */
function isSelected(
  upstream: GatewayUpstream,
  caller: Caller,
  { selection, kinds }: { readonly selection: ItemSelection; readonly kinds: readonly GatewayItemKind[] },
): boolean {
  if (selection.mayKeep(upstream.isPrefixed ? prefixOf(upstream) : undefined)) return true
  return kinds.some((kind) =>
    [...(upstream.catalogue.known(kind, caller)?.items.keys() ?? [])].some((name) =>
      exposedNames(upstream, kind, name).some((exposed) => selection.keeps(kind, exposed)),
    ),
  )
}

const prefixOf = ({ alias }: GatewayUpstream): string => `${alias}__`

/** Returns the names that an item may have in the gateway. */
function exposedNames(upstream: GatewayUpstream, kind: GatewayItemKind, name: string): string[] {
  if (!isNamedKind(kind)) return [name]
  const offered = upstream.filters[kind].rename(name)
  const qualified = `${prefixOf(upstream)}${offered}`
  return upstream.isPrefixed ? [qualified] : [offered, qualified]
}
