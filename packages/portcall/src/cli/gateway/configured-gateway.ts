import {
  type ConfiguredPolicies,
  createConfiguredPolicies,
  createGateway,
  formatChange,
  type Gateway,
} from '../../entrypoints/gateway.ts'
import type { Stores } from '../../entrypoints/stores.ts'
import { usageError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { VERSION } from '../version.ts'
import type { Activity } from './activity.ts'
import { describeError } from './controller.ts'
import { createStoredCredentials } from './credentials.ts'
import type { LoadedGateway } from './load.ts'
import { openConfiguredStores } from './stores.ts'

/** A gateway, and what the process around it needs. */
export interface ConfiguredGateway extends Omit<ConfiguredPolicies, 'policies'> {
  readonly gateway: Gateway
  readonly stores: Stores | undefined
}

export interface ConfiguredGatewayOptions {
  readonly activity: Activity
  readonly io: Pick<Io, 'log'>
}

/** Creates the gateway of a configuration, with its stores and policies, and the stored tokens of the user. */
export async function createConfiguredGateway(
  { config, directory }: LoadedGateway,
  { activity, io }: ConfiguredGatewayOptions,
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
    const gateway = createGateway({
      info: { name: 'portcall-gateway', version: VERSION, title: 'Portcall gateway' },
      ...options,
      policy: policies,
      credentials: createStoredCredentials(),
      ...(stores && { stores }),
      onEvent: activity.onEvent,
    })
    return { gateway, stores, ...parts }
  } catch (error) {
    throw error instanceof TypeError || error instanceof RangeError ? usageError(error.message) : error
  }
}
