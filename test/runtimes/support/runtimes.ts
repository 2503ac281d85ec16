import { BINARIES } from './binaries.mjs'
import { DIST } from './places.mjs'
import { start } from './process.ts'
import { startWorker } from './workerd.ts'

/** A runtime that serves the fixture. */
export interface Host {
  readonly url: string
  /** Stops it and returns what went wrong. */
  stop(): Promise<string>
}

/** A warning that Deno prints once when the signal of a request is read. */
const DENO_ON_SIGNALS = /^Deno\.serve: request\.signal aborts on successful responses.*\n/

async function startProcess(...command: string[]): Promise<Host> {
  const running = await start(command)
  const stop = async (): Promise<string> => {
    const { code, stderr } = await running.stop()
    const errors = stderr.replace(DENO_ON_SIGNALS, '')
    return code === 0 ? errors : `exit code ${code} ${errors}`
  }
  return { url: running.firstLine, stop }
}

async function startInWorker(path: string): Promise<Host> {
  const running = await startWorker('worker-server')
  return { url: running.firstLine + path, stop: async () => (await running.stop()).stderr }
}

/** The features that a runtime lacks. */
export interface Gaps {
  readonly sessions?: string
  readonly changes?: string
  readonly cancelling?: string
}

const SILENT = 'workerd does not notify a worker when its client disconnects'
const APART = 'a worker isolates its requests: one request cannot send messages on the stream of another'

/** All runtimes, how to start them, and their missing features. */
export const HOSTS: { readonly [name: string]: { start(): Promise<Host>; gaps?: Gaps } } = {
  'Node 20': { start: () => startProcess(BINARIES['Node 20'], `${DIST}/servers/node.js`) },
  'Node 24': { start: () => startProcess(BINARIES['Node 24'], `${DIST}/servers/node.js`) },
  Bun: { start: () => startProcess(BINARIES.Bun, 'run', `${DIST}/servers/bun.js`) },
  Deno: {
    start: () => startProcess(BINARIES.Deno, 'run', '--no-prompt', '--allow-net', '--allow-env', `${DIST}/servers/deno.js`),
  },
  workerd: { start: () => startInWorker('/mcp'), gaps: { sessions: APART, changes: APART, cancelling: SILENT } },
  'workerd, Durable Object': { start: () => startInWorker('/object'), gaps: { cancelling: SILENT } },
}

const startGateway =
  (...command: string[]) =>
  (upstream: string): Promise<Host> =>
    startProcess(...command, `${DIST}/servers/gateway.js`, upstream)

/** All runtimes, and how to start a gateway in front of a server there. */
export const GATEWAYS: { readonly [name: string]: (upstream: string) => Promise<Host> } = {
  'Node 20': startGateway(BINARIES['Node 20']),
  'Node 22': startGateway(BINARIES['Node 22']),
  'Node 24': startGateway(BINARIES['Node 24']),
  Bun: startGateway(BINARIES.Bun, 'run'),
  Deno: startGateway(BINARIES.Deno, 'run', '--no-prompt', '--allow-net', '--allow-env'),
  async 'workerd, Durable Object'(upstream) {
    const running = await startWorker('worker-gateway')
    const url = `${running.firstLine}/mcp?upstream=${encodeURIComponent(upstream)}`
    return { url, stop: async () => (await running.stop()).stderr }
  },
}
