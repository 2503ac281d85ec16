import type { Exchange } from '../jsonrpc/exchange.ts'
import type { Implementation } from '../protocol/types.ts'
import { namespaceStore } from '../stores/namespace.ts'
import { openStore } from '../stores/open-store.ts'
import { sealerKeys } from '../stores/sealing/key-ring.ts'
import { createSealer } from '../stores/sealing/seal.ts'
import { sealStore } from '../stores/sealing/sealed-store.ts'
import type { OnGatewayEvent } from './api/events.ts'
import type { GatewayOptions } from './api/options.ts'
import { createCallForwarder, type ForwardCall } from './calls/forward-call.ts'
import { createInputStates } from './calls/input-states.ts'
import { createGatewayProcesses, type GatewayProcesses } from './calls/processes.ts'
import { createRouter, type Router } from './calls/router.ts'
import { createListCursors, type ListCursors } from './lists/cursors.ts'
import { createListItems, type ListItems } from './lists/list-items.ts'
import { createMergedLists, type MergedLists } from './lists/merged-lists.ts'
import type { CombinedPolicies } from './policy/combine.ts'
import { createUpstreamRegistry, type UpstreamRegistry } from './routes/registry.ts'
import { createTaskIds, type TaskIds } from './routes/task-ids.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.ts'
import { createGatewayUpstream } from './upstreams/upstream.ts'

/** The components of a gateway. */
export interface GatewayComponents {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly registry: UpstreamRegistry
  readonly lists: MergedLists
  readonly cursors: ListCursors
  readonly listItems: ListItems
  readonly router: Router
  readonly forwardCall: ForwardCall
  readonly subscriptions: Subscriptions
  readonly taskIds: TaskIds
  readonly processes: GatewayProcesses
  readonly onEvent: OnGatewayEvent
}

const INFO: Implementation = { name: 'portcall-gateway', version: '0' }
const PAGE_SIZE = 1000
const REQUEST_STATE_TTL_MS = 900_000
const STORE_TIMEOUT_MS = 5000
/** The owner of a list follows. */
const LISTS_PREFIX = 'portcall:lists/'

/** Dependencies that the components share. */
export interface ComponentDependencies {
  readonly onEvent: OnGatewayEvent
  /** Answers a request that another process forwards. */
  readonly exchange: Exchange
  /** Returns the current policies. */
  readonly policies: () => CombinedPolicies
}

/** Creates the components of a gateway. @throws TypeError if an option is invalid. */
export function createComponents(
  options: GatewayOptions,
  { onEvent, exchange, policies }: ComponentDependencies,
): GatewayComponents {
  const { info = INFO, instructions, pageSize = PAGE_SIZE, requestStateTtlMs = REQUEST_STATE_TTL_MS, stores, listStore } = options
  const store = openStore(stores?.store, STORE_TIMEOUT_MS)
  const sealer = createSealer(sealerKeys(options.sealingKeys, stores && store))
  const kept = listStore ?? (stores && sealStore(namespaceStore(store, LISTS_PREFIX), sealer))
  const processes = createGatewayProcesses({ stores, exchange })
  const taskIds = createTaskIds(sealer)
  const registry: UpstreamRegistry = createUpstreamRegistry(options.servers, {
    names: options.names,
    create: (name, server) =>
      createGatewayUpstream({
        name,
        server,
        nameMode: options.names?.mode,
        info,
        credentials: options.credentials,
        singleUser: options.singleUser ?? false,
        requestStateTtlMs,
        policies,
        listStore: kept || undefined,
        onEvent,
        onListArrived: (kind) => subscriptions.changed(kind),
        onAvailable: (upstream, unavailableSince) => subscriptions.recover(upstream, unavailableSince),
      }),
  })
  const { table } = registry
  const lists = createMergedLists({
    upstreams: () => table().upstreams,
    names: () => table().names,
    uris: () => table().uris,
    onEvent,
  })
  const router = createRouter({ table, lists })
  const subscriptions: Subscriptions = createSubscriptions({ table, router, policies, taskIds })
  const forwardCall = createCallForwarder({
    table,
    router,
    taskIds,
    inputStates: createInputStates(sealer, requestStateTtlMs),
    processes,
    onEvent: options.onEvent && onEvent,
  })
  const cursors = createListCursors(sealer)
  const listItems = createListItems({ lists, cursors, pageSize, upstreams: () => table().upstreams })
  return {
    info,
    instructions,
    registry,
    lists,
    cursors,
    listItems,
    router,
    forwardCall,
    subscriptions,
    taskIds,
    processes,
    onEvent,
  }
}
