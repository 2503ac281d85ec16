import { ignoreErrors } from '../../../util/src/ignore-errors.ts'
import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import { applyMiddleware, type Exchange } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'
import { bindLogger } from '../logging/bind-logger.ts'
import type { MethodLookup } from '../protocol/methods.ts'
import type { Implementation } from '../protocol/types.ts'
import type { ServerLike } from '../server/types.ts'
import { sharedStores } from '../stores/shared-stores.ts'
import { checkGatewayOptions, checkPolicyServers } from './api/check-options.ts'
import type { GatewayOptions, GatewayServers } from './api/options.ts'
import { redactEvents } from './api/redact-events.ts'
import type { GatewayStatus } from './api/status.ts'
import { createComponents, GATEWAY_INFO } from './components.ts'
import { createGatewayDispatcher, createReference } from './dispatcher.ts'
import { createGatewayHandlers } from './handlers.ts'
import { describePublicServers } from './lists/public-servers.ts'
import { listServerItems, type ServerItem } from './lists/server-items.ts'
import { parseUniqueNames } from './policy/duplicate-members.ts'
import { gatewayMethodOf } from './policy/extension-methods.ts'
import type { GatewayItemKind } from './policy/types.ts'

/** Many servers as one. Serve it like any server. */
export interface Gateway extends ServerLike, AsyncDisposable {
  /** The information that the gateway gives about itself. */
  readonly info: Implementation
  /**
   * Answers one request of the newest protocol revision. Do not change results in place, return others: large ones are sent as the server wrote
   * them.
   */
  readonly exchange: Exchange
  /** Looks up how a method is routed. */
  readonly methodOf: MethodLookup
  /** Parses the JSON of an HTTP request. Rejects duplicate keys. */
  parseJson(text: string): unknown
  /** Returns whether a request may be executed twice: any request but a tool call. */
  isIdempotent(request: Request): boolean
  /** Returns the state of the servers. */
  status(): GatewayStatus
  /**
   * Starts the programs of a gateway with one user: its first lists do not wait for all of them. Without it, servers start when they are first
   * needed.
   */
  start(): void
  /** Replaces the servers. Servers whose options are the same keep running; requests in flight are finished. @throws TypeError if invalid. */
  setServers(servers: GatewayServers): Promise<void>
  /**
   * Replaces the policies, and the middleware if there is any. Requests in flight keep those that they began with; subscriptions do not.
   * Subscribers are notified that lists may have changed.
   */
  setPolicy(policy: NonNullable<GatewayOptions['policy']>, middleware?: GatewayOptions['middleware']): void
  /** Makes the next lists fetch what servers offer again: one server, or all. Subscribers are notified, those of processes with the same `stores` too. */
  refresh(server?: string): void
  /**
   * Resolves to what servers say about themselves, by their names: those that respond in time, and that callers without authorization may know. Use it
   * for public documents.
   */
  publicServers(): Promise<ReadonlyMap<string, Implementation>>
  /**
   * Resolves to the items of one kind that a server lists for clients with all capabilities, by their names on the server: also those that the gateway
   * does not offer. Resolves to `undefined` if that is not known: the server is not connected or does not answer, its lists depend on the caller, or
   * its program is started for each client.
   */
  serverItems(server: string, kind: GatewayItemKind): Promise<ReadonlyMap<string, ServerItem> | undefined>
  /** Ends all subscriptions, closes all connections and stops all child processes. */
  close(): Promise<void>
}

const CLOSE_TIMEOUT_MS = 10_000

/**
 * Creates a gateway. Servers are connected when they are first needed, and their failures do not affect each other.
 *
 * @example
 * const gateway = createGateway({ servers: { github: 'https://mcp.example.com/mcp', files: { command: 'files-server' } } })
 * await serve(gateway, { port: 3000 })
 *
 * @throws TypeError if an option is invalid.
 */
export function createGateway(options: GatewayOptions): Gateway {
  checkGatewayOptions(options)
  const logs = options.logger && bindLogger(options.logger, options.onEvent)
  const onEvent = logs?.onEvent ?? options.onEvent
  const emit = redactEvents(ignoreErrors(onEvent))
  const { stores = sharedStores() } = options
  const dispatcher = createGatewayDispatcher(emit)
  dispatcher.configure(options.policy, options.middleware)
  const { exchange } = dispatcher
  const components = createComponents(
    { ...options, ...withoutUndefined({ onEvent, stores }) },
    { onEvent: emit, exchange, policies: () => dispatcher.policies },
  )
  dispatcher.start(createGatewayHandlers(components))
  const { registry, lists, subscriptions } = components
  const serverNames = (): string[] => registry.table.upstreams.map(({ name }) => name)
  checkPolicyServers(dispatcher.policies.list, serverNames())
  const closeAll = async (): Promise<void> => {
    components.sharedRefresh.close()
    components.eventStreams.close()
    const looked = components.webhookSubscriptions.close()
    subscriptions.close()
    // Requests may take long, and the process may end before they do.
    const kept = Promise.all(registry.table.upstreams.map(({ catalogue }) => catalogue.close()))
    await dispatcher.whenIdle(CLOSE_TIMEOUT_MS)
    await Promise.all([kept, looked, registry.close()])
    await components.processes.close()
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= closeAll()
    return closing
  }

  return {
    info: options.info ?? GATEWAY_INFO,
    exchange: logs ? applyMiddleware(exchange, [logs.middleware]) : exchange,
    methodOf: gatewayMethodOf,
    parseJson: parseUniqueNames,
    reportError(error) {
      const reference = createReference()
      emit({ type: 'error', error, reference, method: 'transport' })
      return reference
    },
    stores,
    isIdempotent: ({ method }) => method !== 'tools/call',
    start() {
      for (const upstream of registry.table.upstreams) upstream.start()
    },
    status: () => ({
      servers: Object.fromEntries(registry.table.upstreams.map(({ name, status }) => [name, status])),
      subscriptions: subscriptions.size,
    }),
    async setServers(servers) {
      const replaced = registry.replace(servers)
      lists.reset()
      subscriptions.reattach()
      components.eventStreams.check()
      subscriptions.changed(undefined)
      await replaced
    },
    setPolicy(policy, middleware) {
      checkPolicyServers([policy].flat(), serverNames())
      const before = dispatcher.policies
      dispatcher.configure(policy, middleware)
      const changesLists = [...before.list, ...dispatcher.policies.list].some(({ listed }) => listed)
      if (changesLists) for (const { catalogue } of registry.table.upstreams) catalogue.clear()
      lists.reset()
      subscriptions.reattach()
      components.eventStreams.check()
      subscriptions.changed(undefined)
    },
    publicServers: () => describePublicServers(registry.table.upstreams, dispatcher.policies),
    serverItems(server, kind) {
      const { info, registry } = components
      const { policies } = dispatcher
      return listServerItems(registry.table.byName.get(server), kind, { info, policies, table: registry.table })
    },
    refresh: components.refresh,
    close,
    [Symbol.asyncDispose]: close,
  }
}
