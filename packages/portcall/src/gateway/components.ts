import type { Exchange } from '../jsonrpc/exchange.ts'
import type { Implementation } from '../protocol/types.ts'
import { namespaceStore } from '../stores/namespace.ts'
import { openStore } from '../stores/open-store.ts'
import { sealerKeys } from '../stores/sealing/key-ring.ts'
import { createSealer } from '../stores/sealing/seal.ts'
import { sealStore } from '../stores/sealing/sealed-store.ts'
import type { KeyValueStore } from '../stores/store.ts'
import type { OnGatewayEvent } from './api/events.ts'
import type { GatewayOptions } from './api/options.ts'
import { createCallForwarder, type ForwardCall } from './calls/forward-call.ts'
import { createInputStates } from './calls/input-states.ts'
import { createGatewayProcesses, type GatewayProcesses } from './calls/processes.ts'
import { createRouter, type Router } from './calls/router.ts'
import { createViewReads } from './calls/view-tools.ts'
import { createGatewayEventStreams, type GatewayEventStreams } from './events/event-streams.ts'
import { createSharedStreams } from './events/shared-streams.ts'
import { createWebhookSubscriptions, type WebhookSubscriptions } from './events/webhook-subscriptions.ts'
import { createListCursors, type ListCursors } from './lists/cursors.ts'
import { createListItems, type ListItems } from './lists/list-items.ts'
import { createMergedLists, type MergedLists } from './lists/merged-lists.ts'
import { createListPager, type ListPager } from './lists/pager.ts'
import { createSharedRefresh, type SharedRefresh } from './lists/shared-refresh.ts'
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
  readonly pager: ListPager
  readonly router: Router
  readonly forwardCall: ForwardCall
  readonly subscriptions: Subscriptions
  readonly eventStreams: GatewayEventStreams
  readonly webhookSubscriptions: WebhookSubscriptions
  readonly taskIds: TaskIds
  readonly processes: GatewayProcesses
  /** Makes the next lists fetch again: one server, or all. Notifies subscribers and the other processes of the gateway. */
  refresh(server: string | undefined): void
  readonly sharedRefresh: SharedRefresh
  readonly onEvent: OnGatewayEvent
}

/** The default of the option `info`. */
export const GATEWAY_INFO: Implementation = { name: 'portcall-gateway', version: '0' }
const PAGE_SIZE = 1000
const REQUEST_STATE_TTL_MS = 900_000
const STORE_TIMEOUT_MS = 5000
/** The owner of a list follows. */
const LISTS_PREFIX = 'portcall:lists/'
/** The name of a process follows. */
const WEBHOOKS_PREFIX = 'portcall:gateway-webhooks/'

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
  const {
    info = GATEWAY_INFO,
    instructions,
    pageSize = PAGE_SIZE,
    requestStateTtlMs = REQUEST_STATE_TTL_MS,
    stores,
    listStore,
  } = options
  const store = openStore(stores?.store, STORE_TIMEOUT_MS)
  const sealer = createSealer(sealerKeys(options.sealingKeys, stores && store))
  const sealed = (prefix: string): KeyValueStore | undefined => stores && sealStore(namespaceStore(store, prefix), sealer)
  const kept = listStore ?? sealed(LISTS_PREFIX)
  const processes = createGatewayProcesses({ stores, exchange })
  const taskIds = createTaskIds(sealer)
  const cursors = createListCursors(sealer)
  const pager = createListPager(cursors, pageSize)
  const registry = createUpstreamRegistry(options.names)
  const lists = createMergedLists({ registry, onEvent })
  const webhookSubscriptions = createWebhookSubscriptions({ store: sealed(WEBHOOKS_PREFIX), processes, registry, policies })
  const viewReads = createViewReads()
  const router = createRouter({ registry, lists, viewReads })
  const subscriptions = createSubscriptions({ registry, router, policies, taskIds })
  const refresh = (server: string | undefined): void => {
    for (const { name, catalogue } of registry.table.upstreams)
      if (server === undefined || name === server) catalogue.invalidate()
    lists.reset()
    subscriptions.changed(undefined)
  }
  const sharedRefresh = createSharedRefresh(stores, refresh)
  registry.open(options.servers, (name, server) =>
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
  )
  return {
    info,
    instructions,
    registry,
    lists,
    cursors,
    listItems: createListItems({ registry, lists, pager }),
    pager,
    router,
    forwardCall: createCallForwarder({
      registry,
      router,
      viewReads,
      taskIds,
      inputStates: createInputStates(sealer, requestStateTtlMs),
      processes,
      openEventStream: createSharedStreams(webhookSubscriptions).open,
      onEvent: options.onEvent && onEvent,
    }),
    subscriptions,
    eventStreams: createGatewayEventStreams({ router, policies }),
    webhookSubscriptions,
    taskIds,
    processes,
    refresh(server) {
      refresh(server)
      sharedRefresh.announce(server)
    },
    sharedRefresh,
    onEvent,
  }
}
