import { KINDS } from '../../compose/kinds.ts'
import type { Caller } from '../caller.ts'
import type { GatewayCaller, GatewayItemKind } from '../policy.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'

/** The name of an item that no policy names. */
const UNNAMED = '\u0000'
const ALL_KINDS = Object.values(KINDS).map(({ kind }) => kind)

/**
 * Reports whether a caller may learn the name of a server, and what it says about itself: if the caller may see an item of these kinds that the server
 * has listed, or one that no policy names.
 */
export function mayKnowServer(upstream: GatewayUpstream, caller: Caller, kinds: readonly GatewayItemKind[] = ALL_KINDS): boolean {
  const { policies, auth, capabilities, clientInfo } = caller
  if (policies.isEmpty) return true
  // Policies report what they decide about a request. This is not part of one.
  const asked: GatewayCaller = { auth, capabilities, clientInfo }
  return kinds.some((kind) => {
    const listed = upstream.catalogue.known(kind, caller)?.items ?? []
    return [[UNNAMED, {}] as const, ...listed].some(([name, definition]) =>
      policies.isVisible({ server: upstream.name, kind, name, definition }, asked),
    )
  })
}
