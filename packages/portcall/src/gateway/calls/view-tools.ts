/** Tools that views call: views know the names that their own server gave its tools. */

import { setLru } from '../../../../util/src/lru.ts'
import { CALLING_VIEW_META, isViewUri, isVisibleTo } from '../../protocol/apps.ts'
import { identityOf } from '../../protocol/caller-identity.ts'
import { describeUnknown, invalidParams } from '../../protocol/errors.ts'
import type { MergedItem, MergedList } from '../lists/merged-lists.ts'
import type { Caller } from '../policy/caller.ts'
import type { RoutingTable } from '../routes/table.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'

/** The servers whose views callers have read. */
export interface ViewReads {
  note(caller: Caller, server: string): void
  has(caller: Caller, server: string): boolean
}

const MAX_CALLERS = 10_000

/** Remembers which views callers have read, in this process. Callers without a session and without authentication count as one. */
export function createViewReads(): ViewReads {
  const bySession = new WeakMap<object, Set<string>>()
  const byPrincipal = new Map<string, Set<string>>()
  const serversOf = (caller: Caller): Set<string> => {
    const identity = identityOf(caller.request, caller)
    if (typeof identity === 'object' && identity !== null) {
      const known = bySession.get(identity) ?? new Set()
      bySession.set(identity, known)
      return known
    }
    const key = typeof identity === 'string' ? `principal ${identity}` : `caller ${caller.key}`
    const known = byPrincipal.get(key) ?? new Set()
    setLru(byPrincipal, [key, known], MAX_CALLERS)
    return known
  }
  return {
    note: (caller, server) => void serversOf(caller).add(server),
    has: (caller, server) => serversOf(caller).has(server),
  }
}

/** Returns the server of the view that sends a request, if its host says so. */
export function callingServer({ meta }: Caller, { uris, byName }: RoutingTable): GatewayUpstream | undefined {
  const view = meta[CALLING_VIEW_META]
  const marked = typeof view === 'string' && isViewUri(view) ? uris.unmark(view) : undefined
  return marked && byName.get(marked.server)
}

/** Reports whether a view may call a tool that the caller may see. */
function isForViews({ upstream, kind, server, name, definition }: OwnTool, caller: Caller): boolean {
  if (!upstream.filters.tool.accepts(name) || !isVisibleTo(definition, 'app')) return false
  return caller.policies.isEmpty || caller.policies.isVisible({ server, kind, name, definition }, caller)
}

/** A tool of a server, with its definition. */
export type OwnTool = Pick<MergedItem, 'upstream' | 'server' | 'kind' | 'name' | 'definition'>

/** Finds a tool of the server of a view, by the name on its server. */
export async function findOwnTool(upstream: GatewayUpstream, name: string, caller: Caller): Promise<OwnTool | undefined> {
  const { value } = await upstream.catalogue.list('tool', caller, upstream.listWaitMs)
  const definition = value?.items.get(name)
  const tool: OwnTool | undefined = definition && { upstream, server: upstream.name, kind: 'tool', name, definition }
  return tool && isForViews(tool, caller) ? tool : undefined
}

/**
 * Finds the tool that a view means by the name on its server, if its host does not say which view it is: only one server may have such a tool, and the
 * caller must have read a view of this server.
 *
 * @throws RpcError -32602 with the names of the tools that may be meant.
 */
export function findViewTool(
  list: MergedList,
  { name, caller }: { readonly name: string; readonly caller: Caller },
  reads: ViewReads,
): OwnTool | undefined {
  const candidates = [...list.items.values()].filter((item) => item.name === name && isForViews(item, caller))
  const [only, ...others] = candidates
  if (!only) return undefined
  if (others.length === 0 && reads.has(caller, only.server)) return only
  const exposed = candidates.map((item) => item.exposed)
  throw invalidParams(`${describeUnknown('tool', name)}. Use ${exposed.slice(0, MAX_NAMED).join(' or ')}`, {
    candidates: exposed,
  })
}

/** The most tools that a message names. */
const MAX_NAMED = 5
