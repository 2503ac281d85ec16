import { generateKey, type Middleware } from 'portcall'
import { toolSearch } from 'portcall/compose'
import {
  type ConfiguredPolicies,
  claudeChannel,
  createConfiguredPolicies,
  createGateway,
  formatChange,
  type Gateway,
  type GatewayConfig,
  type GatewayOptions,
  type ListStore,
  serverPathOf,
  serverPaths,
  toolSet,
  toolSets,
} from 'portcall/gateway'
import type { OnRequest } from 'portcall/http'
import { memoryStores, type Stores } from 'portcall/stores'
import { usageError } from '../cli-error.ts'
import { didYouMean } from '../command-line/did-you-mean.ts'
import type { Io } from '../io.ts'
import { VERSION } from '../version.ts'
import type { Activity } from './activity.ts'
import { describeError } from './describe-error.ts'
import { createEventDeliveries } from './event-webhook.ts'
import { createListFolder } from './list-folder.ts'
import type { LoadedGateway } from './load.ts'
import { createServerCredentials, needsAccounts, type ServerCredentials } from './server-credentials.ts'
import { openConfiguredStores } from './stores.ts'

/** A gateway, and what the process around it needs. */
export interface ConfiguredGateway {
  readonly gateway: Gateway
  readonly stores: Stores | undefined
  /** Returns the policies that apply now. */
  readonly policies: () => ConfiguredPolicies
  /** Returns the paths below the endpoint: those of sets of tools, and of servers. */
  readonly paths: () => readonly string[]
  /** Serves the pages on which users connect accounts, and receives the deliveries of events. */
  readonly onRequest: OnRequest
  /** Returns the URL of the deliveries of events; `undefined` if there are none. */
  readonly deliveryUrl: () => URL | undefined
  /** Returns the servers of a configuration, as `createGateway` takes them. @throws CliError if one cannot deliver its events. */
  serversOf(config: GatewayConfig): GatewayOptions['servers']
  /**
   * Prepares the settings of another configuration: its policies, sets, search and credentials. Resolves to a function that applies them to
   * the requests that arrive afterwards. Stores and servers stay as they are.
   *
   * @throws CliError if a setting is invalid.
   */
  prepare(loaded: LoadedGateway): Promise<() => void>
}

export interface ConfiguredGatewayOptions {
  readonly activity: Activity
  readonly io: Pick<Io, 'log'>
  /** Returns the origin where browsers reach the gateway. */
  readonly origin: () => string | Promise<string>
  /** The path of the endpoint. */
  readonly path: string
  /** All callers are the user of this machine. */
  readonly singleUser: boolean
  /** The gateway serves its clients over stdio. */
  readonly isStdio: boolean
  /** The set of tools to offer. Default: all tools, and the sets at their paths. */
  readonly set: string | undefined
  /** Offers three tools that search, describe and call, whatever the configuration says. */
  readonly search: boolean
}

/** The rules that apply to requests. They are replaced as a whole when the configuration changes. */
interface Rules {
  readonly policies: ConfiguredPolicies
  readonly middleware: readonly Middleware[]
  readonly credentials: ServerCredentials
  readonly paths: readonly string[]
}

/** Creates the gateway of a configuration, with its stores, policies, sets of tools and credentials. */
export async function createConfiguredGateway(
  loaded: LoadedGateway,
  options: ConfiguredGatewayOptions,
): Promise<ConfiguredGateway> {
  const { config, directory, variables } = loaded
  const { store } = config.settings
  const stores = store === undefined ? undefined : await openConfiguredStores(store, directory, variables)
  /** Keeps what has to survive a change of the configuration if there are no stores. */
  const memory = { store: memoryStores().store, sealingKeys: [generateKey()] }
  const deliveries = createEventDeliveries({
    stores,
    sealingKeys: config.options.sealingKeys,
    isStdio: options.isStdio,
    onError: (error) => options.io.log(`A delivery of events failed: ${variables.hide(describeError(error))}`),
  })
  const createRules = createRulesFactory({ ...options, stores, memory, onConnected: (server) => gateway.refresh(server) })
  let current = await createRules(loaded)
  const gateway: Gateway = withUsageErrors(() =>
    createGateway({
      info: { name: 'portcall-gateway', version: VERSION, title: 'Portcall gateway' },
      ...config.options,
      servers: deliveries.serversOf(config),
      policy: current.policies.policies,
      credentials: (request) => current.credentials.credentials(request),
      middleware: current.middleware,
      singleUser: options.singleUser,
      ...(stores && { stores }),
      ...keepListsIn(config, { stores, singleUser: options.singleUser }),
      onEvent: options.activity.onEvent,
    }),
  )
  return {
    gateway,
    stores,
    policies: () => current.policies,
    paths: () => current.paths,
    onRequest: (request) => deliveries.onRequest(request) ?? current.credentials.onRequest?.(request),
    deliveryUrl: deliveries.url,
    serversOf: deliveries.serversOf,
    async prepare(next) {
      const rules = await createRules(next)
      return () => {
        current = rules
        gateway.setPolicy(rules.policies.policies, rules.middleware)
      }
    },
  }
}

/** Returns where lists are kept: in the stores, or else in the home directory of the only user. */
function keepListsIn(
  { settings: { keepLists = true } }: GatewayConfig,
  { stores, singleUser }: { readonly stores: Stores | undefined; readonly singleUser: boolean },
): { listStore?: ListStore | false } {
  if (!keepLists) return { listStore: false }
  return stores || !singleUser ? {} : { listStore: createListFolder() }
}

interface RulesContext extends ConfiguredGatewayOptions {
  readonly stores: Stores | undefined
  readonly memory: { readonly store: Stores['store']; readonly sealingKeys: readonly string[] }
  /** Called when a user has signed in to a server. */
  readonly onConnected: (server: string) => void
}

/** Returns what creates the rules of a configuration. */
function createRulesFactory(context: RulesContext): (loaded: LoadedGateway) => Promise<Rules> {
  const { io, path, set, search, stores, memory, singleUser, onConnected } = context
  return async ({ config, directory, options, variables }) => {
    const origin = needsAccounts(config) ? await context.origin() : ''
    return withUsageErrors(() => {
      const policies = createConfiguredPolicies(config.policies, {
        directory,
        store: stores?.store,
        memory: memory.store,
        onChange(change) {
          const accept = `Accept it with portcall gateway --accept ${change.server}${options}`
          io.log([...formatChange(change).split('\n'), accept])
        },
        onQueued: ({ server, kind, name }) =>
          io.log(`A call of the ${kind} ${name} of ${server} waits for approval. Show it with portcall gateway approvals`),
        onError(error) {
          io.log(variables.hide(describeError(error)).split('\n'))
        },
      })
      const onLoginFailed = (error: unknown): void =>
        io.log(`The login of a browser failed: ${variables.hide(describeError(error))}`)
      const onChannelError = (error: unknown): void => io.log(`channel: ${variables.hide(describeError(error))}`)
      const shared = { directory, stores, memory, origin, singleUser, onConnected, onLoginFailed }
      const credentials = createServerCredentials(config, shared)
      return {
        policies,
        credentials,
        middleware: [
          ...createChannel(config, onChannelError),
          ...createServerPaths(config, path),
          ...createSearch(config, search),
          ...createSets(config, { path, set }),
          ...credentials.middleware,
        ],
        paths: [...(set === undefined ? Object.keys(config.settings.sets ?? {}) : []), ...pathsOfServers(config)],
      }
    })
  }
}

/** @throws CliError in place of errors about options. */
function withUsageErrors<T>(create: () => T): T {
  try {
    return create()
  } catch (error) {
    throw error instanceof TypeError || error instanceof RangeError ? usageError(error.message) : error
  }
}

/** Creates the middleware that passes events on to the host that starts the gateway. */
function createChannel({ settings: { channel } }: GatewayConfig, onError: (error: unknown) => void): Middleware[] {
  return channel ? [claudeChannel({ ...channel, onError })] : []
}

/** Creates the middleware that offers each server at a path of its own, if there is a catalog that names the paths. */
function createServerPaths({ options, settings: { listen } }: GatewayConfig, path: string): Middleware[] {
  return listen.card ? [serverPaths({ servers: Object.keys(options.servers), path })] : []
}

function pathsOfServers({ options, settings: { listen } }: GatewayConfig): string[] {
  return listen.card ? Object.keys(options.servers).map((server) => serverPathOf('', server).slice(1)) : []
}

/** Creates the middleware of search in all tools. */
function createSearch({ settings: { search = false } }: GatewayConfig, always: boolean): Middleware[] {
  if (typeof search === 'object') return [toolSearch(search)]
  return search || always ? [toolSearch()] : []
}

/** Creates the middleware of the sets of tools: one set for everything, or each at its path. @throws CliError if the set does not exist. */
function createSets(
  { settings: { sets = {} } }: GatewayConfig,
  { path, set }: Pick<ConfiguredGatewayOptions, 'path' | 'set'>,
): Middleware[] {
  if (set === undefined) return Object.keys(sets).length > 0 ? [toolSets({ sets, path })] : []
  const chosen = Object.hasOwn(sets, set) ? sets[set] : undefined
  if (!chosen) throw usageError(`there is no set ${set} in gateway.sets`, didYouMean(set, Object.keys(sets)))
  return [toolSet(chosen)]
}
