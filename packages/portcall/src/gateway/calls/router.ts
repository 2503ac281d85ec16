import { createUriLookup } from '../../../../util/src/normal-uri.ts'
import { oncePer } from '../../../../util/src/once-per.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { CALLING_VIEW_META, isViewUri } from '../../protocol/apps.ts'
import { createNormalMatcher } from '../../schema/uri-template/normal-template.ts'
import { parseTemplate } from '../../schema/uri-template/template.ts'
import { unavailable } from '../api/errors.ts'
import { isAtPath, mayKnowServer } from '../lists/known-servers.ts'
import type { MergedItem, MergedList, MergedLists } from '../lists/merged-lists.ts'
import type { Caller } from '../policy/caller.ts'
import { isNamedKind, type NamedItemKind } from '../policy/item-kinds.ts'
import type { RequestedItem } from '../policy/item-methods.ts'
import type { GatewayItem } from '../policy/types.ts'
import type { CurrentTable } from '../routes/table.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { callingServer, findOwnTool, findViewTool, type ViewReads } from './view-tools.ts'

/** The destination of a request for an item. */
export interface ItemRoute extends GatewayItem {
  readonly upstream: GatewayUpstream
}

/** Finds the server of an item. An item that the caller may not see does not exist. @throws RpcError if its server cannot be reached to decide. */
export interface Router {
  /**
   * Finds an item by its exposed name or URI. A template may also be a resource that arguments are completed for.
   *
   * Synchronous if nothing has to be listed and there is no policy, which saves promises for each call.
   */
  find(item: RequestedItem, caller: Caller): ItemRoute | undefined | Promise<ItemRoute | undefined>
  /** Finds the tool of a task on its server. */
  findTool(upstream: GatewayUpstream, name: string, caller: Caller): Promise<ItemRoute | undefined>
  /**
   * Returns a URI in a result of a server as the gateway exposes it. Web pages and files stay as they are, unless the server lists them as resources.
   */
  exposeUri(route: ItemRoute, uri: string, caller: Caller): string
}

export interface RouterOptions {
  readonly registry: CurrentTable
  readonly lists: MergedLists
  readonly viewReads: ViewReads
}

const toRoute = ({ upstream, server, kind, name, definition }: MergedItem): ItemRoute => ({
  upstream,
  server,
  kind,
  name,
  definition,
})

export function createRouter({ registry, lists, viewReads }: RouterOptions): Router {
  /** Looks an item up in lists: first in the known one, then in a new one. */
  const findListed = async (
    kinds: readonly GatewayItem['kind'][],
    caller: Caller,
    find: (list: MergedList) => MergedItem | undefined,
  ): Promise<ItemRoute | undefined> => {
    for (const kind of kinds) {
      const known = lists.known(kind, caller)
      const item = known && find(known)
      if (item) return toRoute(item)
    }
    const current = await Promise.all(kinds.map((kind) => lists.get(kind, caller)))
    for (const list of current) {
      const item = find(list)
      if (item) return toRoute(item)
    }
    return undefined
  }
  const findByUri = async (uri: string, caller: Caller): Promise<ItemRoute | undefined> => {
    const { single, upstreams, byName, uris } = registry.table
    const marked = uris.unmark(uri)
    const unmarkedOwner = (): GatewayUpstream | undefined =>
      single ?? callingServer(caller, registry.table) ?? onlyResourceServer(upstreams, caller)
    const owner = marked ? byName.get(marked.server) : unmarkedOwner()
    if (owner) return routeTo(owner, { kind: 'resource', uri: marked?.uri ?? uri }, caller)
    const listed = await findListed(['resource', 'template'], caller, (list) => findInList(list, uri))
    return listed && { ...listed, kind: 'resource', name: listed.kind === 'resource' ? listed.name : uri }
  }
  const findReference = async (uri: string, caller: Caller): Promise<ItemRoute | undefined> => {
    const { uris, byName, single } = registry.table
    const marked = uris.unmark(uri)
    const owner = marked ? byName.get(marked.server) : single
    const listed = owner ? undefined : await findListed(['template'], caller, (list) => findByText(list, uri))
    const route = owner ? routeTo(owner, { kind: 'template', uri: marked?.uri ?? uri }, caller) : listed
    return route ?? findByUri(uri, caller)
  }
  const findResource = async (kind: 'resource' | 'template', uri: string, caller: Caller): Promise<ItemRoute | undefined> => {
    const route = kind === 'template' ? await findReference(uri, caller) : await findByUri(uri, caller)
    return route?.upstream.filters[route.kind].accepts(route.name) ? checkVisibility(route, caller) : undefined
  }

  /** Finds a tool of the server of a view: by the name on this server, otherwise by the exposed one. */
  const findForView = async (name: string, caller: Caller, upstream: GatewayUpstream): Promise<ItemRoute | undefined> => {
    const own = await findOwnTool(upstream, name, caller)
    if (own) return own
    const { items } = await lists.get('tool', caller)
    const item = items.get(name)
    return item?.upstream === upstream ? findOwnTool(upstream, item.name, caller) : undefined
  }
  const findByListedName = async (kind: NamedItemKind, name: string, caller: Caller): Promise<ItemRoute | undefined> => {
    const route = await findListed([kind], caller, ({ items }) => items.get(name))
    if (route) return checkVisibility(route, caller)
    return kind === 'tool' ? findViewTool(await lists.get('tool', caller), { name, caller }, viewReads) : undefined
  }

  const findAnywhere: Router['find'] = ({ kind, name }, caller) => {
    if (kind === 'resource' || kind === 'template') return findResource(kind, name, caller)
    const { single, byAlias, names } = registry.table
    const isFromView = !single && kind === 'tool' && caller.meta[CALLING_VIEW_META] !== undefined
    const viewServer = isFromView ? callingServer(caller, registry.table) : undefined
    if (viewServer) return findForView(name, caller, viewServer)
    const parts = single ? { server: single.alias, name } : names[kind].resolve(name)
    const upstream = parts && byAlias.get(parts.server)
    if (!upstream) return findByListedName(kind, name, caller)
    const original = upstream.filters[kind].original(parts.name)
    if (original === undefined) return undefined
    const definition = upstream.catalogue.known(kind, caller)?.items.get(original)
    const route: ItemRoute = { upstream, server: upstream.name, kind, name: original, definition }
    return caller.policies.isEmpty ? route : checkVisibility(route, caller)
  }

  return {
    find(item, caller) {
      const found = findAnywhere(item, caller)
      return caller.selection?.server === undefined ? found : keepAtPath(found, caller)
    },
    findTool: async (upstream, name, caller) => checkVisibility({ upstream, server: upstream.name, kind: 'tool', name }, caller),
    exposeUri({ upstream }, uri, caller) {
      const { uris, single, upstreams } = registry.table
      if (isViewUri(uri)) return uris.markView(upstream.name, uri)
      if ((single ?? onlyResourceServer(upstreams, caller)) === upstream)
        return uris.unmark(uri) ? uris.mark(upstream.name, uri) : uri
      const resource = lists.known('resource', caller)?.items.get(uri)
      if (resource?.upstream === upstream) return uri
      const marked = uris.mark(upstream.name, uri)
      return !OPENED_BY_CLIENTS.test(uri) || isOffered(upstream, [uri, marked], caller) ? marked : uri
    },
  }
  /** Reports whether a server lists a resource, or a template for it, in one of its spellings. */
  function isOffered(upstream: GatewayUpstream, spellings: readonly string[], caller: Caller): boolean {
    const known = (['resource', 'template'] as const).flatMap((kind) => lists.known(kind, caller) ?? [])
    return known.some((list) => spellings.some((uri) => findInList(list, uri)?.upstream === upstream))
  }
}

/** Returns the route of an item if its server is offered at the path of the request. */
async function keepAtPath(found: ReturnType<Router['find']>, caller: Caller): Promise<ItemRoute | undefined> {
  const route = await found
  return route && isAtPath(route.upstream, caller) ? route : undefined
}

/** Returns the route, with the definition of the item, if the policies let the caller see it. */
async function checkVisibility(route: ItemRoute, caller: Caller): Promise<ItemRoute | undefined> {
  if (caller.policies.isEmpty) return route
  const { item, error } = route.definition ? { item: route, error: undefined } : await withDefinition(route, caller)
  if (caller.policies.isVisible(item, caller)) return item
  // The server is unreachable, so the item may exist.
  if (isNamedKind(item.kind) && !item.definition && error !== undefined && mayKnowServer(item.upstream, caller, [item.kind]))
    throw unavailable(item.server, error)
  return undefined
}

/** URIs that clients can open themselves: web pages, and files. Servers link to them without offering them as resources. */
const OPENED_BY_CLIENTS = /^(?:https?|file):/i

/** Adds the definition of an item, if its server lists it, or says why the list is missing. */
async function withDefinition(route: ItemRoute, caller: Caller): Promise<{ readonly item: ItemRoute; readonly error: unknown }> {
  const { upstream, kind, name } = route
  const known = upstream.catalogue.known(kind, caller)?.items.get(name)
  if (known) return { item: { ...route, definition: known }, error: undefined }
  const { value, error } = await upstream.catalogue.list(kind, caller, upstream.listWaitMs)
  return { item: { ...route, definition: value?.items.get(name) }, error: value ? undefined : error }
}

/** Returns the only server that has resources, if all servers are known and there is only one. */
function onlyResourceServer(upstreams: readonly GatewayUpstream[], caller: Caller): GatewayUpstream | undefined {
  const infos = upstreams.map((upstream) => upstream.catalogue.knownInfo(caller))
  if (infos.some((info) => !info)) return undefined
  const withResources = upstreams.filter((_, index) => infos[index]?.capabilities.resources)
  return withResources.length === 1 ? withResources[0] : undefined
}

type OwnItems = ReadonlyMap<string, JsonObject>

const findInOtherSpelling = createUriLookup((items: ReadonlyMap<string, MergedItem>) => items)
const findOwnSpelling = createUriLookup((items: OwnItems) => Array.from(items.keys(), (uri) => [uri, uri] as const))

/** Returns the route to an item of a server in the spelling of its list: rules apply to the item in all its spellings. */
function routeTo(
  upstream: GatewayUpstream,
  { kind, uri }: { readonly kind: 'resource' | 'template'; readonly uri: string },
  caller: Caller,
): ItemRoute {
  const items = upstream.catalogue.known(kind, caller)?.items
  const name = !items || items.has(uri) ? uri : (findOwnSpelling(items, uri) ?? uri)
  return { upstream, server: upstream.name, kind, name }
}

function findByText({ items }: MergedList, uri: string): MergedItem | undefined {
  return items.get(uri) ?? findInOtherSpelling(items, uri)
}

function findInList(list: MergedList, uri: string): MergedItem | undefined {
  return findByText(list, uri) ?? matchTemplate(list, uri)
}

type TemplateMatcher = readonly [item: MergedItem, match: (uri: string) => unknown]

const matchersOf = oncePer(({ items }: MergedList): readonly TemplateMatcher[] =>
  [...items.values()].flatMap((item) => (item.kind === 'template' ? [createMatcher(item)] : [])),
)

function matchTemplate(list: MergedList, uri: string): MergedItem | undefined {
  return matchersOf(list).find(([, match]) => match(uri) !== undefined)?.[0]
}

/** An invalid template matches nothing. */
function createMatcher(item: MergedItem): TemplateMatcher {
  try {
    const template = parseTemplate(item.exposed)
    const matchNormal = createNormalMatcher(item.exposed)
    return [item, (uri) => template.match(uri) ?? matchNormal(uri)]
  } catch {
    return [item, () => undefined]
  }
}
