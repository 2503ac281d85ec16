import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import process from 'node:process'
import { RUNTIME, type Runtime } from '../../../util/src/runtime.ts'
import { createServerWorkers, type ServerWorkers } from './server-workers.ts'
import { createStoresFolder, removeStoresFolder } from './stores-folder.ts'
import { startWorker } from './worker-process.ts'

export interface WorkersOptions {
  readonly port: number
  readonly host: string
  /** The number of workers. */
  readonly count: number
  /** True if the server has stores of its own, which all processes share. */
  readonly hasStores: boolean
  readonly onError: (error: unknown) => void
}

/** A port and the workers that serve it. */
export interface ListeningWorkers {
  readonly port: number
  /** Resolves when all workers serve. Rejects if one of them ends before that; the others then still run. */
  readonly ready: Promise<void>
  /** Resolves when all workers have closed by themselves. */
  readonly ended: Promise<void>
  stopReadiness(): void
  /** Stops listening and closes the workers, which get `drainTimeoutMs` to finish their calls. */
  close(drainTimeoutMs: number): Promise<void>
}

/** How much longer than its drain a worker may run before it is killed. */
const EXIT_TIMEOUT_MS = 5000
const NO_DRIVER =
  'workers share sessions in an SQLite file, and no SQLite driver was found: use Node 22.13 or newer, install libsql, or pass stores to createServer()'

/** Listens on a port, starts workers, and passes each connection to one of them. Resolves when it listens. */
export async function serveWithWorkers(options: WorkersOptions): Promise<ListeningWorkers> {
  assertSupported()
  let pool: ServerWorkers | undefined
  // Connections that arrive before there are workers.
  const early: Socket[] = []
  // The workers read the connections, and this process must not.
  const listener = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    if (pool) pool.accept(socket)
    else early.push(socket)
  })
  await listen(listener, options)
  const { port } = listener.address() as AddressInfo
  const storesFile = options.hasStores ? undefined : await createStoresFile().catch((error) => fail(error, listener, early))
  const settings = { supervisor: process.pid, port, storesFile }
  pool = createServerWorkers({
    count: options.count,
    start: (number, callbacks) => startWorker({ settings: { ...settings, number }, ...callbacks }),
    onError: options.onError,
  })
  early.forEach(pool.accept)
  const close = async (drainTimeoutMs: number): Promise<void> => {
    listener.close()
    await pool.close(drainTimeoutMs + EXIT_TIMEOUT_MS)
    if (storesFile) await removeStoresFolder(storesFile)
  }
  return { port, ready: pool.ready, ended: pool.ended, stopReadiness: pool.stopReadiness, close }
}

/** How other runtimes use several cores. */
const ADVICE: Partial<Record<Runtime, string>> = {
  bun: 'start several processes with reusePort',
  deno: 'use deno serve --parallel',
}

function assertSupported(): void {
  const advice = ADVICE[RUNTIME]
  if (advice)
    throw new Error(`workers require Node.js. On this runtime, ${advice}, or run several processes behind a load balancer`)
}

function listen(listener: Server, { port, host }: WorkersOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject).listen(port, host, resolve)
  })
}

function fail(error: unknown, listener: Server, sockets: readonly Socket[]): never {
  listener.close()
  for (const socket of sockets) socket.destroy()
  throw error
}

/** Creates the file that the workers share. */
async function createStoresFile(): Promise<string> {
  const { sqliteStores } = await import('../stores/sqlite/sqlite.ts')
  const file = await createStoresFolder()
  try {
    // Creates the tables once, so that the workers do not wait for each other.
    await sqliteStores(file).close()
    return file
  } catch (error) {
    await removeStoresFolder(file)
    throw error instanceof AggregateError ? new Error(NO_DRIVER, { cause: error }) : error
  }
}
