import type { ServerLike } from 'portcall'
import { isLoopbackListener } from '../../../util/src/loopback-host.ts'
import { type CliError, usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { readListenPort } from '../command-line/flag-values.ts'
import { LISTEN_FLAGS, PORT_FLAG, STDIO_FLAG } from '../command-line/listen-flags.ts'
import { guardStdout, type Io, releaseStdout } from '../io.ts'
import { isChild, runChild } from '../serve/child-process.ts'
import { serveWatched } from '../serve/watch.ts'
import { loadServer } from '../target/module.ts'

const FLAGS = {
  ...LISTEN_FLAGS,
  port: PORT_FLAG,
  stdio: STDIO_FLAG,
  workers: { type: 'string', value: 'N', description: 'Serve with N processes, or auto for one per core (default: 1)' },
  watch: { type: 'boolean', short: 'w', description: 'Reload the module when its code changes; connections stay open' },
} as const

/** `portcall serve` */
export const serveCommand: Command = defineCommand({
  name: 'serve',
  summary: 'Serve a module over HTTP or stdio',
  serverUse: 'none',
  args: ['<module>'],
  details: [
    'The module exports a server as default, as server, or under another name. It must not start the server itself: a module that does is a program, such as node server.js.',
    'With --workers, each process loads the module. Processes that end are started again, and all of them share sessions.',
    'With --watch, the module is reloaded when code in its directory changes, or another file that it imports, however your editor saves it. Files that it only reads or writes are data: they do not reload it. Clients stay connected, also over stdio, and are notified that the lists have changed. If the module fails to start, the previous version keeps running. In this mode, handlers have no access to HTTP headers and authorization.',
  ],
  flags: FLAGS,
  examples: [
    'portcall serve server.js',
    'portcall serve server.js --port 8080 --watch',
    'portcall serve server.js --workers auto',
    'portcall serve server.js --stdio',
  ],
  async run({ args: [path = ''], flags, io }) {
    process.exitCode = 0
    if (isChild) return runChild(path)
    if (flags.workers !== undefined) {
      for (const other of ['stdio', 'watch'] as const)
        if (flags[other]) throw usageError(`--workers and --${other} cannot be combined`)
      // A worker finds the stores that it shares with others in this module, before it creates a server.
      await import('portcall/node')
    }
    guardStdout()
    const server = flags.watch ? serveWatched(path, io) : await loadServer(path)
    releaseStdout()
    return flags.stdio ? serveOverStdio(server) : serveOverHttp(server, flags, io)
  },
})

/** Serves a server over stdin and stdout. */
export async function serveOverStdio(server: ServerLike): Promise<void> {
  const { serveStdio } = await import('portcall/stdio')
  await serveStdio(server)
}

function explainListenError(error: unknown, port: number): CliError {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return usageError(`port ${port} is already in use`, 'choose another one with --port, or 0 for any free port')
  return usageError(message)
}

/** The options that serving over HTTP needs. */
export interface ServeHttpFlags {
  readonly port: string | undefined
  readonly host: string | undefined
  readonly path: string | undefined
  readonly workers?: string | undefined
  readonly 'allow-host': readonly string[]
  readonly 'allow-origin': readonly string[]
}

/** Serves over HTTP until a signal ends the process. */
export async function serveOverHttp(server: ServerLike, flags: ServeHttpFlags, io: Io): Promise<never> {
  const { serve, workerNumber } = await import('portcall/node')
  const { host, path, workers, 'allow-host': allowedHosts, 'allow-origin': allowedOrigins } = flags
  const port = readListenPort(flags.port)
  if (workers !== undefined && workers !== 'auto' && !/^[1-9]\d{0,2}$/.test(workers))
    throw usageError(`--workers must be a number or auto, not ${workers}`)
  const options = {
    port,
    ...(workers !== undefined && { workers: workers === 'auto' ? ('auto' as const) : Number(workers) }),
    ...(host !== undefined && { host }),
    ...(path !== undefined && { path }),
    ...(allowedHosts.length > 0 && { allowedHosts }),
    ...(allowedOrigins.length > 0 && { allowedOrigins }),
  }
  if (host !== undefined && !isLoopbackListener(host) && allowedHosts.length === 0)
    throw usageError(`listening on ${host} requires the host names of this server`, 'add --allow-host api.example.com')
  const { url } = await serve(server, options).catch((error: unknown) => {
    throw explainListenError(error, port)
  })
  if (workerNumber !== undefined) return new Promise(() => {})
  if (io.json) io.value({ url })
  else io.line(`Listening at ${url}`)
  guardStdout()
  return new Promise(() => {})
}
