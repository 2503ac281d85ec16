import { createGateway, createPolicyOptions, type Gateway } from '../../entrypoints/gateway.ts'
import type { Stores } from '../../entrypoints/stores.ts'
import { delay } from '../../util/timers.ts'
import { usageError } from '../cli-error.ts'
import { guardStdout, type Io } from '../io.ts'
import { VERSION } from '../version.ts'
import { type Activity, createActivity } from './activity.ts'
import { type Controller, createController, describeError, type ReloadOutcome } from './controller.ts'
import { createStoredCredentials } from './credentials.ts'
import { type ListenFlags, listenOverHttp, startAdmin } from './listen.ts'
import { type GatewaySource, type LoadedGateway, loadGateway } from './load.ts'
import { openConfiguredStores } from './stores.ts'
import { watchFiles } from './watch-files.ts'

/** The options of a gateway process. */
export interface RunFlags extends ListenFlags {
  readonly stdio: boolean
  readonly 'no-watch': boolean
  readonly admin: string | undefined
  readonly search: boolean
  readonly verbose: boolean
}

/** Runs a gateway until a signal ends it, or until stdin ends. */
export async function runGateway(source: GatewaySource, flags: RunFlags, io: Io): Promise<void> {
  const load = (): Promise<LoadedGateway> => loadGateway(source)
  const loaded = await load()
  const { config, files } = loaded
  const activity = createActivity(io, flags.verbose)
  const { gateway, stores } = await createConfiguredGateway(loaded, activity, flags.search)
  let endpoint = flags.stdio ? 'stdio' : ''
  const controller = createController({ gateway, loaded, load, activity, endpoint: () => endpoint })
  for (const warning of config.warnings) io.log(warning)
  let isReady = true
  const listening = flags.stdio ? undefined : await listenOverHttp(gateway, { config, flags, isReady: () => isReady })
  if (listening) endpoint = listening.url
  const admin = await startAdmin(controller, { config, flags, files })
  announce({ loaded, endpoint, adminUrl: admin?.url }, io)
  const unwatch = flags['no-watch'] ? undefined : watchFiles(files, () => void reload(controller, io))
  process.on('SIGHUP', () => void reload(controller, io))
  if (!listening) return serveStdin(gateway)
  const shutDown = async (): Promise<void> => {
    unwatch?.()
    isReady = false
    admin?.stopBeingReady()
    await delay(config.settings.listen.shutdownDelayMs ?? 0)
    await listening.close()
    await gateway.close()
    await admin?.close()
    await stores?.close()
  }
  return untilSignal(shutDown, io)
}

interface ConfiguredGateway {
  readonly gateway: Gateway
  readonly stores: Stores | undefined
}

/** Creates the gateway of a configuration, with its stores and policies, and the stored tokens of the user. */
async function createConfiguredGateway(
  { config, directory }: LoadedGateway,
  activity: Activity,
  search: boolean,
): Promise<ConfiguredGateway> {
  const { options, settings } = config
  const policies = search ? { search: true, ...config.policies } : config.policies
  const stores = settings.store === undefined ? undefined : await openConfiguredStores(settings.store, directory)
  const { onEvent, ...policyOptions } = await createPolicyOptions(policies, { directory, stores })
  try {
    const gateway = createGateway({
      info: { name: 'portcall-gateway', version: VERSION, title: 'Portcall gateway' },
      ...options,
      ...policyOptions,
      credentials: createStoredCredentials(),
      ...(stores && { stores }),
      onEvent(event) {
        activity.onEvent(event)
        onEvent?.(event)
      },
    })
    return { gateway, stores }
  } catch (error) {
    throw error instanceof TypeError ? usageError(error.message) : error
  }
}

interface Announcement {
  readonly loaded: LoadedGateway
  readonly endpoint: string
  readonly adminUrl: string | undefined
}

function announce({ loaded: { config, files }, endpoint, adminUrl }: Announcement, io: Io): void {
  const names = Object.keys(config.options.servers)
  io.log(`${names.length === 1 ? '1 server' : `${names.length} servers`} from ${files.join(', ')}: ${names.join(', ') || 'none'}`)
  if (endpoint === 'stdio') {
    if (process.stdin.isTTY) io.log('Serving over stdio, for a host that starts this command. Press Ctrl-C to stop.')
    return
  }
  if (io.json) io.value({ url: endpoint, ...(adminUrl !== undefined && { admin: adminUrl }) })
  else io.data(`Listening at ${endpoint}`)
  guardStdout()
}

/** Reloads the configuration, and logs what changed or why nothing did. */
async function reload(controller: Controller, { log }: Io): Promise<void> {
  try {
    log(describeReload(await controller.reload()))
  } catch (error) {
    log(`The configuration was not reloaded: ${describeError(error)}`)
  }
}

/** Says what a reload changed. */
export function describeReload(outcome: ReloadOutcome): string {
  const { needsRestart, ...changes } = outcome
  const parts = Object.entries(changes).flatMap(([what, names]) => (names.length > 0 ? [`${what} ${names.join(', ')}`] : []))
  const restart = needsRestart.length > 0 ? `. Restart the gateway to apply the changes of ${needsRestart.join(', ')}` : ''
  return `The configuration was reloaded: ${parts.join('; ') || 'no server changed'}${restart}`
}

async function serveStdin(gateway: Gateway): Promise<void> {
  process.exitCode = 0
  const { serveStdio } = await import('../../entrypoints/stdio.ts')
  await serveStdio(gateway)
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Shuts down after the first signal, and exits at once after the second. */
export function untilSignal(shutDown: () => Promise<void>, { log }: Io): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      for (const signal of SIGNALS) process.off(signal, stop).once(signal, () => process.exit(1))
      log('Stopping: waiting for running calls')
      shutDown().then(resolve, reject)
    }
    for (const signal of SIGNALS) process.once(signal, stop)
  })
}
