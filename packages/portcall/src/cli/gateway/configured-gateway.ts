import { toolSearch } from '../../entrypoints/compose.ts'
import {
  type ConfiguredPolicies,
  createConfiguredPolicies,
  createGateway,
  formatChange,
  type Gateway,
  type GatewayConfig,
  toolSet,
  toolSets,
} from '../../entrypoints/gateway.ts'
import type { OnRequest } from '../../entrypoints/http.ts'
import type { Middleware } from '../../entrypoints/index.ts'
import type { Stores } from '../../entrypoints/stores.ts'
import { usageError } from '../cli-error.ts'
import { didYouMean } from '../command-line/did-you-mean.ts'
import type { Io } from '../io.ts'
import { VERSION } from '../version.ts'
import type { Activity } from './activity.ts'
import { describeError } from './controller.ts'
import type { LoadedGateway } from './load.ts'
import { createServerCredentials } from './server-credentials.ts'
import { openConfiguredStores } from './stores.ts'

/** A gateway, and what the process around it needs. */
export interface ConfiguredGateway extends Omit<ConfiguredPolicies, 'policies'> {
  readonly gateway: Gateway
  readonly stores: Stores | undefined
  /** Serves the pages on which users connect accounts. */
  readonly onRequest: OnRequest | undefined
}

export interface ConfiguredGatewayOptions {
  readonly activity: Activity
  readonly io: Pick<Io, 'log'>
  /** The origin where browsers reach the gateway. */
  readonly origin: string
  /** The path of the endpoint. */
  readonly path: string
  /** All callers are the user of this machine. */
  readonly singleUser: boolean
  /** The set of tools to offer. Default: all tools, and the sets at their paths. */
  readonly set: string | undefined
  /** Offers three tools that search, describe and call, whatever the configuration says. */
  readonly search: boolean
}

/** Creates the gateway of a configuration, with its stores, policies, sets of tools and credentials. */
export async function createConfiguredGateway(
  { config, directory }: LoadedGateway,
  { activity, io, origin, path, singleUser, set, search }: ConfiguredGatewayOptions,
): Promise<ConfiguredGateway> {
  const { options, settings } = config
  const stores = settings.store === undefined ? undefined : await openConfiguredStores(settings.store, directory)
  try {
    const { policies, ...parts } = createConfiguredPolicies(config.policies, {
      directory,
      store: stores?.store,
      onChange: (change) => io.log(`${formatChange(change)}\nAccept it with portcall gateway --accept ${change.server}`),
      onError: (error) => io.log(describeError(error)),
    })
    const { credentials, middleware, onRequest } = createServerCredentials(config, {
      directory,
      stores,
      origin,
      singleUser,
      onConnected: (server) => gateway.refresh(server),
    })
    const gateway: Gateway = createGateway({
      info: { name: 'portcall-gateway', version: VERSION, title: 'Portcall gateway' },
      ...options,
      policy: policies,
      credentials,
      middleware: [...createSearch(config, search), ...createSets(config, { path, set }), ...middleware],
      singleUser,
      ...(stores && { stores }),
      onEvent: activity.onEvent,
    })
    return { gateway, stores, onRequest, ...parts }
  } catch (error) {
    throw error instanceof TypeError || error instanceof RangeError ? usageError(error.message) : error
  }
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
