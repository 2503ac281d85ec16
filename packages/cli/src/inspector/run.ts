import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ServerLike } from 'portcall'
import type { InspectorBackend, ListeningInspector } from 'portcall/inspector'
import { isLoopbackListener } from '../../../util/src/loopback-host.ts'
import { CliError, usageError } from '../cli-error.ts'
import type { Invocation, ServerArgument } from '../command.ts'
import { readEnvFlags, readHeaderFlags, readPortFlag, readSecondsFlag } from '../command-line/flag-values.ts'
import type { ExitReason } from '../exit-codes.ts'
import { guardStdout, type Io } from '../io.ts'
import { portcallHome, storedProvider } from '../login/stored-login.ts'
import { openLink } from '../open-link.ts'
import { markReported } from '../report-error.ts'
import { readConfigFile } from '../target/config-file.ts'
import { loadServer } from '../target/module.ts'
import { VERSION } from '../version.ts'
import { createHostEntryWriter } from './host-entry.ts'
import { createSources, parseServerText } from './sources.ts'

/** The options of `portcall inspect`. */
export interface InspectFlags {
  readonly port: string | undefined
  readonly 'no-open': boolean
  readonly header: readonly string[]
  readonly env: readonly string[]
  readonly cwd: string | undefined
  readonly 'protocol-version': string | undefined
  readonly root: readonly string[]
  readonly log: string | undefined
  readonly timeout: string | undefined
  readonly 'insecure-listen-on-address': string | undefined
  readonly 'allow-host': readonly string[]
}

/** An inspector that is used for a purpose. */
export interface InspectorUse {
  /** The title of the link. */
  readonly title: string
  /** Loads the server that a module exports. `onReload` is called each time that it was loaded again. */
  readonly loadModule: (path: string, onReload: () => void) => Promise<ServerLike>
  /** Called when a server of the command line has connected for the first time. */
  readonly onConnected: (server: InspectedServer, backend: InspectorBackend) => Promise<void>
}

/** A server in the inspector. */
export type InspectedServer = InspectorBackend['servers']['all'][number]

/** Serves the inspector until Ctrl-C. The servers of the command line are connected at once: a person has typed them. */
export async function runInspector(
  { flags, server, args, io }: Pick<Invocation, 'server' | 'args' | 'io'> & { readonly flags: unknown },
  use?: InspectorUse,
): Promise<ExitReason> {
  const options = flags as InspectFlags
  const settings = await readSettings(options)
  const targets = await readTargets(server, args)
  const { serveInspector } = await import('portcall/inspector')
  const reportReload = (): void => {
    for (const { id, target } of inspector.backend.servers.all) if (target.kind === 'module') inspector.backend.reportReload(id)
  }
  const load = use ? (path: string) => use.loadModule(path, reportReload) : loadModule
  const inspector = await serveInspector({ ...readListenOptions(options), ...createBackendOptions(load) }).catch(
    (error: unknown) => {
      throw new CliError('unreachable', (error as Error).message)
    },
  )
  const stopped = untilStopped(inspector, io)
  announce(inspector, options, { io, title: use?.title ?? 'Inspector' })
  const used: Promise<void>[] = []
  for (const target of targets) {
    const added = await inspector.backend.servers.add({ target, settings })
    if (use) used.push(untilConnected(added, inspector.backend).then(() => use.onConnected(added, inspector.backend)))
    void added.connect(true).catch((error: unknown) => io.log(String((error as Error).message)))
  }
  const failed = new Promise<never>((_, reject) => {
    for (const one of used) one.catch(reject)
  })
  return Promise.race([stopped, failed]).catch(async (error: unknown) => {
    await inspector.close()
    throw error
  })
}

/** Resolves when a server is connected: also after a person has corrected it, or has signed in. */
function untilConnected(server: InspectedServer, { hub }: InspectorBackend): Promise<void> {
  return new Promise((resolve) => {
    const stop = hub.subscribe(({ event }) => {
      if (event.type !== 'server' || event.server.id !== server.id || !server.isConnected) return
      stop()
      resolve()
    })
  })
}

function createBackendOptions(
  load: (path: string) => Promise<ServerLike>,
): Parameters<typeof import('portcall/inspector').serveInspector>[0] {
  return {
    info: { name: 'portcall-inspector', version: VERSION, title: 'Portcall inspector' },
    loaders: { readConfiguredServer: readConfigFile, loadModule: load, storedLogin: storedProvider },
    sources: createSources(),
    writeHostEntry: createHostEntryWriter(),
    directory: `${portcallHome()}/inspector`,
  }
}

/** Loads a server. The page shows what is wrong. */
function loadModule(path: string): ReturnType<typeof loadServer> {
  return loadServer(path).catch((error: unknown) => {
    markReported(error)
    throw error
  })
}

function readListenOptions(flags: InspectFlags): { port: number; host?: string; allowedHosts?: readonly string[] } {
  const { port: portText = '0', 'insecure-listen-on-address': host, 'allow-host': names = [] } = flags
  const port = readPortFlag('port', portText)
  const isRemote = host !== undefined && !isLoopbackListener(host)
  if (isRemote && names.length === 0)
    throw usageError('--insecure-listen-on-address needs --allow-host', 'such as --allow-host dev.example.com')
  return { port, ...(host !== undefined && { host }), ...(names.length > 0 && { allowedHosts: names }) }
}

type Settings = NonNullable<Parameters<ListeningInspector['backend']['servers']['add']>[0]['settings']>

async function readSettings(flags: InspectFlags): Promise<Settings> {
  const { cwd, log, timeout, 'protocol-version': revision } = flags
  const headers = readHeaderFlags(flags.header)
  const env = readEnvFlags(flags.env)
  const logLevel = log === undefined ? undefined : await readLevel(log)
  const ms = timeout === undefined ? undefined : readSecondsFlag('timeout', timeout)
  return {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd !== undefined && { cwd }),
    ...(revision !== undefined && { revision }),
    ...(logLevel && { logLevel }),
    ...(ms !== undefined && { requestTimeoutMs: ms, connectTimeoutMs: ms }),
    ...(flags.root.length > 0 && { roots: flags.root.map((path) => ({ uri: pathToFileURL(resolve(path)).href })) }),
  }
}

async function readLevel(log: string): Promise<NonNullable<Settings['logLevel']>> {
  const { LOGGING_LEVELS } = await import('portcall')
  const known = LOGGING_LEVELS.find((level) => level === log)
  if (known) return known
  throw usageError(`--log must be one of ${LOGGING_LEVELS.join(', ')}, not ${log}`)
}

type Target = Parameters<ListeningInspector['backend']['servers']['add']>[0]['target']

async function readTargets(server: ServerArgument, args: readonly string[]): Promise<Target[]> {
  const targets = args.map((text) => parseServerText(text))
  if (!('program' in server)) return targets
  const [command = '', ...rest] = server.program
  return [...targets, { kind: 'program', command, args: rest }]
}

/** Prints the link and opens it. On a terminal, Enter prints a new one, since each works once. */
function announce(
  inspector: ListeningInspector,
  flags: InspectFlags,
  { io, title }: { readonly io: Io; readonly title: string },
): void {
  const link = inspector.newLink()
  if (io.json) io.value({ url: inspector.url, link })
  else io.data(`${title}: ${link}`)
  guardStdout()
  if (!flags['no-open'] && io.interactive) void openLink(link, io)
  if (!io.interactive) return
  io.log('The link works once. Press Enter for a new one, Ctrl-C to stop.')
  process.stdin.on('data', () => io.log(`${title}: ${inspector.newLink()}`))
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Ends all programs after the first signal, and exits at once after the second. */
function untilStopped(inspector: ListeningInspector, io: Io): Promise<ExitReason> {
  return new Promise((done, fail) => {
    const stop = (): void => {
      for (const signal of SIGNALS) process.off(signal, stop).once(signal, () => process.exit(1))
      process.stdin.destroy()
      inspector.close().then(() => done('success'), fail)
      if (io.interactive) io.log('Stopping')
    }
    for (const signal of SIGNALS) process.on(signal, stop)
  })
}
