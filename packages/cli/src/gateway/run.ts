import { type Gateway, type GatewayConfig, gatewayEntries } from 'portcall/gateway'
import type { OnRequest } from 'portcall/http'
import { retryableOnce } from '../../../util/src/async.ts'
import { isLoopbackListener } from '../../../util/src/loopback-host.ts'
import { delay } from '../../../util/src/timers.ts'
import { guardStdout, type Io } from '../io.ts'
import { createActivity } from './activity.ts'
import type { ConfigChanges } from './compare-configs.ts'
import { type ConfiguredGateway, createConfiguredGateway } from './configured-gateway.ts'
import { type Controller, createController, notesOf, startPrograms } from './controller.ts'
import { describeError } from './describe-error.ts'
import { type ListenFlags, listenOverHttp, startAdmin } from './listen.ts'
import { type GatewaySource, type LoadedGateway, loadGateway } from './load.ts'
import { createNameWarnings } from './name-warnings.ts'
import { findFreePort, startPageServer } from './page-server.ts'
import { needsAccounts } from './server-credentials.ts'
import { createVariableMask } from './variable-mask.ts'
import { watchFiles } from './watch-files.ts'

/** The options of a gateway process. */
export interface RunFlags extends ListenFlags {
  readonly stdio: boolean
  readonly 'no-watch': boolean
  readonly admin: string | undefined
  /** Offers three tools that search, describe and call. */
  readonly search: boolean
  readonly verbose: boolean
  /** The set of tools to offer. */
  readonly set: string | undefined
}

/** Runs a gateway until a signal ends it, or until stdin ends. */
export async function runGateway(source: GatewaySource, flags: RunFlags, io: Io): Promise<void> {
  const variables = createVariableMask()
  const load = (): Promise<LoadedGateway> => loadGateway(source, variables)
  const loaded = await load()
  const { config, files } = loaded
  const activity = createActivity({ log: io.log, isVerbose: flags.verbose, hide: variables.hide })
  const place = await findPlace(loaded, flags)
  let endpoint = flags.stdio ? 'stdio' : ''
  const configured: ConfiguredGateway = await createConfiguredGateway(loaded, {
    activity,
    io,
    set: flags.set,
    search: flags.search,
    isStdio: flags.stdio,
    ...place,
    origin: flags.stdio ? lazyPageServer((request) => configured.onRequest(request)) : () => originOf(endpoint) ?? place.origin,
  })
  const { gateway, stores } = configured
  const names = createNameWarnings(gateway, { config, log: io.log })
  activity.onReady((server) => void names.connected(server))
  const onReloaded = (next: GatewayConfig): void => {
    activity.keep(Object.keys(next.options.servers))
    void names.reloaded(next)
  }
  const controller = createController({ configured, loaded, load, activity, endpoint: () => endpoint, onReloaded })
  for (const note of notesOf(config)) io.log(note)
  let isReady = true
  const listening = flags.stdio
    ? undefined
    : await listenOverHttp(gateway, {
        config,
        flags: { ...flags, port: place.port },
        isReady: () => isReady,
        onRequest: configured.onRequest,
        deliveryUrl: configured.deliveryUrl(),
        paths: configured.paths,
        ...(config.settings.listen.card && { card: { catalog: { entries: gatewayEntries(gateway) } } }),
      })
  if (listening) endpoint = listening.url
  const admin = await startAdmin(controller, { config, flags, files })
  startPrograms(gateway, config)
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

/** Where a gateway is reached, and by whom. */
interface Place {
  /** The port to listen on, if it is not the one of the configuration. */
  readonly port: string | undefined
  readonly path: string
  /** The origin where browsers reach the gateway, unless it serves its clients over stdio. */
  readonly origin: string
  /** All callers are the user of this machine. */
  readonly singleUser: boolean
}

/** Finds out where a gateway will be reached. Links to its pages contain the port, so a free one is chosen before it listens. */
async function findPlace({ config }: LoadedGateway, flags: RunFlags): Promise<Place> {
  const { listen, auth } = config.settings
  const host = flags.host ?? listen.host ?? '127.0.0.1'
  const port = flags.port ?? String(listen.port ?? 3000)
  const path = flags.path ?? (auth ? new URL(auth.resource).pathname : listen.path) ?? '/mcp'
  const free = !flags.stdio && port === '0' && needsAccounts(config) ? String(await findFreePort()) : undefined
  return {
    port: free ?? flags.port,
    path,
    origin: `http://127.0.0.1:${free ?? port}`,
    singleUser: !auth && (flags.stdio || isLoopbackListener(host)),
  }
}

function originOf(url: string): string | undefined {
  return url === '' ? undefined : `http://127.0.0.1:${new URL(url).port}`
}

/** Returns the origin of a server for the pages of a gateway, which is started when the origin is first needed. */
function lazyPageServer(pages: OnRequest): () => Promise<string> {
  const started = retryableOnce(startPageServer)
  return async () => {
    const server = await started.run()
    server.serve(pages)
    return server.origin
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
  else io.line(`Listening at ${endpoint}`)
  guardStdout()
}

/** Reloads the configuration, and logs what changed or why nothing did, and what is new to say about it. */
async function reload(controller: Controller, { log }: Io): Promise<void> {
  const said = controller.notes()
  try {
    log(describeReload(await controller.reload()))
    for (const note of controller.notes()) if (!said.includes(note)) log(note)
  } catch (error) {
    log(`The configuration was not reloaded: ${describeError(error)}`.split('\n'))
  }
}

/** Says what a reload changed. */
export function describeReload(outcome: ConfigChanges): string {
  const { needsRestart, ...changes } = outcome
  const parts = Object.entries(changes).flatMap(([what, names]) => (names.length > 0 ? [`${what} ${names.join(', ')}`] : []))
  const restart = needsRestart.length > 0 ? `. Restart the gateway to apply the changes of ${needsRestart.join(', ')}` : ''
  return `The configuration was reloaded: ${parts.join('; ') || 'nothing changed'}${restart}`
}

async function serveStdin(gateway: Gateway): Promise<void> {
  process.exitCode = 0
  const { serveStdio } = await import('portcall/stdio')
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
