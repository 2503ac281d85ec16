import type { JsonObject } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import { SELF } from '../api/self.ts'
import type { CallerRequest } from '../calls/item-call.ts'
import type { ItemRoute, Router } from '../calls/router.ts'
import { GATEWAY_LIST_CHANGE_KEYS } from '../policy/item-kinds.ts'
import type { CurrentTable } from '../routes/table.ts'
import type { TaskIds } from '../routes/task-ids.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'

/** Dependencies for routing a subscription. */
export interface SubscriptionRouting {
  readonly registry: CurrentTable
  readonly router: Router
  readonly taskIds: TaskIds
}

/** The filter of a subscription on one server, and the exposed URIs and task ids. */
export interface RoutedFilter {
  filter: { [key: string]: unknown }
  readonly exposedUris: Map<string, string>
  readonly exposedTasks: Map<string, string>
}

const MAX_SUBJECTS = 1024
const CORE_KEYS: ReadonlySet<string> = new Set([...GATEWAY_LIST_CHANGE_KEYS, 'resourceSubscriptions', 'taskIds'])

/** Reports whether a key of a filter is defined by the protocol or by the tasks extension. */
export function isCoreKey(key: string): boolean {
  return CORE_KEYS.has(key)
}

/** Returns the keys of a filter that other extensions define. */
export function otherKeys(filter: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(filter).filter(([key]) => !isCoreKey(key)))
}

/** Splits a subscription by server. Leaves out items that do not exist or are hidden from the caller. */
export async function routeSubscription(
  call: CallerRequest,
  requested: JsonObject,
  routing: SubscriptionRouting,
): Promise<Map<GatewayUpstream, RoutedFilter>> {
  const { upstreams, single } = routing.registry.table
  const lists = Object.fromEntries(GATEWAY_LIST_CHANGE_KEYS.filter((key) => requested[key] === true).map((key) => [key, true]))
  const common = { ...lists, ...(single && otherKeys(requested)) }
  const routed = new Map<GatewayUpstream, RoutedFilter>()
  for (const upstream of upstreams)
    routed.set(upstream, {
      filter: { ...common, ...(upstream.name === SELF && otherKeys(requested)) },
      exposedUris: new Map(),
      exposedTasks: new Map(),
    })
  await addResources(routed, { call, requested, routing })
  await addTasks(routed, { call, requested, routing })
  return routed
}

/** A subscription to route. */
interface SubscriptionToRoute {
  readonly call: CallerRequest
  readonly requested: JsonObject
  readonly routing: SubscriptionRouting
}

async function addResources(
  routed: ReadonlyMap<GatewayUpstream, RoutedFilter>,
  { call, requested, routing }: SubscriptionToRoute,
): Promise<void> {
  const add = async (uri: string): Promise<void> => {
    const route = await routing.router.find({ kind: 'resource', name: uri }, call.caller)
    if (route && (await isAllowed(route, call))) routed.get(route.upstream)?.exposedUris.set(route.name, uri)
  }
  await Promise.all(readSubjects(requested, 'resourceSubscriptions').map(add))
  for (const { filter, exposedUris } of routed.values())
    if (exposedUris.size > 0) filter.resourceSubscriptions = [...exposedUris.keys()]
}

async function addTasks(
  routed: ReadonlyMap<GatewayUpstream, RoutedFilter>,
  { call, requested, routing }: SubscriptionToRoute,
): Promise<void> {
  for (const exposed of readSubjects(requested, 'taskIds')) {
    const task = await routing.taskIds.resolve(exposed, call.context).catch(() => undefined)
    const upstream = task && routing.registry.table.byName.get(task.server)
    const self = task ? undefined : routing.registry.table.byName.get(SELF)
    if (self) routed.get(self)?.exposedTasks.set(exposed, exposed)
    const tool = task && upstream && (await routing.router.findTool(upstream, task.name, call.caller))
    if (task && upstream && tool) routed.get(upstream)?.exposedTasks.set(task.taskId, exposed)
  }
  for (const { filter, exposedTasks } of routed.values()) if (exposedTasks.size > 0) filter.taskIds = [...exposedTasks.keys()]
}

async function isAllowed(route: ItemRoute, { caller, context }: CallerRequest): Promise<boolean> {
  const { policies } = caller
  if (policies.isEmpty) return true
  const { server, kind, name, definition } = route
  const method = 'resources/subscribe'
  return (await policies.decide({ server, kind, name, definition, method, caller, signal: context.signal })) === 'allow'
}

function readSubjects(requested: JsonObject, key: string): string[] {
  const subjects = requested[key] ?? []
  if (!Array.isArray(subjects) || subjects.length > MAX_SUBJECTS)
    throw invalidParams(`${key} must be an array of at most ${MAX_SUBJECTS} strings`)
  return [...new Set(subjects.filter((subject) => typeof subject === 'string'))]
}
