import { RpcError } from '../jsonrpc/errors.ts'
import { isObject, isSuccess, type JsonObject, type Response, success } from '../jsonrpc/message.ts'
import { methodNotFound, unknownTask } from '../protocol/errors.ts'
import { requireExtension } from '../protocol/extensions.ts'
import { MODERN_VERSION, REVISIONS, revisionOf } from '../protocol/revisions.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import { unavailable } from './api/errors.ts'
import type { CallerRequest } from './calls/item-call.ts'
import { createMergedSkills } from './calls/merged-skills.ts'
import { proxyList, proxyRequest } from './calls/proxy.ts'
import type { GatewayComponents } from './components.ts'
import { createMergedEvents, requireEvents } from './events/merged-events.ts'
import { discoverAll, withOwnEvents } from './lists/discover.ts'
import { isAtPath } from './lists/known-servers.ts'
import { TASK_METHODS } from './policy/extension-methods.ts'
import { GATEWAY_KIND_OF_METHOD, type GatewayKindInfo } from './policy/item-kinds.ts'
import { ITEM_METHODS } from './policy/item-methods.ts'
import { withOwnDomains } from './routes/view-domains.ts'
import type { GatewayUpstream } from './upstreams/upstream.ts'

/** The methods that the newest revision no longer has. No server gets them from a gateway: some would change the session of all callers. */
const REMOVED_METHODS: ReadonlySet<string> = new Set(
  REVISIONS.flatMap(({ requests }) => requests).filter((method) => !revisionOf(MODERN_VERSION)?.requests.includes(method)),
)

/** Answers one method. @throws RpcError */
export type GatewayMethodHandler = (call: CallerRequest) => Promise<Response>

/** The handlers of all methods. */
export interface GatewayHandlers {
  readonly byMethod: ReadonlyMap<string, GatewayMethodHandler>
  /** Answers the other methods: those of extensions. */
  readonly other: GatewayMethodHandler
}

export function createGatewayHandlers(components: GatewayComponents): GatewayHandlers {
  const { registry, router, forwardCall, subscriptions, sharedRefresh, eventStreams, pager, onEvent } = components
  const skills = createMergedSkills({ registry, router, pager, onEvent })
  const events = createMergedEvents({ registry, forwardCall, streams: eventStreams })
  /** The methods of extensions whose results are merged. */
  const merged = new Map<string, GatewayMethodHandler>([
    ['skills/list', skills.list],
    ['skills/get', skills.get],
    ['resources/directory/read', skills.directory],
  ])
  return {
    byMethod: new Map<string, GatewayMethodHandler>([
      ['server/discover', (call) => discover(call, components)],
      [
        'subscriptions/listen',
        async (call) => {
          sharedRefresh.join()
          return success(call.request.id, await subscriptions.listen(call))
        },
      ],
      ...Object.keys(ITEM_METHODS).map((method) => [method, forwardCall] as const),
      ...events.handlers,
      ...[...GATEWAY_KIND_OF_METHOD].map(
        ([method, info]) => [method, (call: CallerRequest) => list(call, info, components)] as const,
      ),
      ...TASK_METHODS.map((method) => [method, (call: CallerRequest) => forwardTask(call, components)] as const),
    ]),
    async other(call) {
      const { method } = call.request
      if (REMOVED_METHODS.has(method)) throw methodNotFound(method)
      const { single, upstreams } = registry.table
      const handler = single ? undefined : merged.get(method)
      if (handler) return handler(call)
      const upstream = single ?? findByExtension(upstreams, call)
      if (!upstream) throw methodNotFound(method)
      return proxyRequest(upstream, call)
    },
  }
}

async function discover(call: CallerRequest, { registry, info, instructions }: GatewayComponents): Promise<Response> {
  const { single, upstreams } = registry.table
  if (single) return success(call.request.id, await discoverSingle(single, call))
  return success(call.request.id, await discoverAll(upstreams, call.caller, { info, instructions }))
}

/** Returns the result of `server/discover` of a single server, from the cache if possible: handshakes do not wait for the server. */
async function discoverSingle({ name, catalogue }: GatewayUpstream, { caller }: CallerRequest): Promise<JsonObject> {
  const { value, error } = await catalogue.discover(caller, Infinity)
  if (value) {
    const { capabilities } = value.discovered
    // A server may answer without capabilities.
    return isObject(capabilities) ? { ...value.discovered, capabilities: withOwnEvents(capabilities) } : value.discovered
  }
  throw error instanceof RpcError ? error : unavailable(name, error)
}

async function list(call: CallerRequest, info: GatewayKindInfo, components: GatewayComponents): Promise<Response> {
  const { registry, listItems } = components
  if (info.kind === 'event') await requireEvents(call, registry)
  const { single } = registry.table
  // A policy that looks at whole lists cannot judge single pages.
  const { request, context, caller } = call
  const response =
    single && !caller.policies.list.some((policy) => policy.listed)
      ? await proxyList(single, info, { ...components, call })
      : success(request.id, await listItems(info, caller, { cursor: request.params?.cursor, auth: context.auth }))
  if (info.kind !== 'resource' || !isSuccess(response)) return response
  return success(request.id, await withOwnDomains(response.result, 'resources', call))
}

/** Forwards a request about a task to its server. */
async function forwardTask(call: CallerRequest, { registry, router, taskIds }: GatewayComponents): Promise<Response> {
  const { request, context, caller } = call
  requireExtension(TASKS_EXTENSION, caller.capabilities)
  const exposed = request.params?.taskId
  const { server, taskId, name } = await taskIds.resolve(exposed, context)
  const upstream = registry.table.byName.get(server)
  if (!upstream || !isAtPath(upstream, caller)) throw methodNotFound(request.method)
  if (!(await router.findTool(upstream, name, caller))) throw unknownTask()
  const params = { ...request.params, taskId }
  const response = await proxyRequest(upstream, { ...call, request: { ...request, params } })
  if (!isSuccess(response) || response.result.taskId === undefined) return response
  return success(request.id, { ...response.result, taskId: exposed } satisfies JsonObject)
}

/** Returns the server whose extension defines a method. The name of such a method starts with the id of its extension. */
function findByExtension(upstreams: readonly GatewayUpstream[], { request, caller }: CallerRequest): GatewayUpstream | undefined {
  return upstreams.find((upstream) => {
    if (!isAtPath(upstream, caller)) return false
    const extensions = upstream.catalogue.knownInfo(caller)?.capabilities.extensions ?? {}
    return Object.keys(extensions).some((id) => request.method.startsWith(`${id}/`))
  })
}
