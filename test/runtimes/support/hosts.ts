import { BINARIES } from './binaries.mjs'
import { DIST } from './places.mjs'
import { start } from './process.ts'
import { startWorker } from './workerd.ts'

/** A runtime that serves the fixture. */
export interface Host {
  readonly url: string
  /** Tells it to end; what was wrong about how it did. */
  stop(): Promise<string>
}

/** Deno says this once, to whoever looks at the signal of a request. */
const DENO_ON_SIGNALS = /^Deno\.serve: request\.signal aborts on successful responses.*\n/

async function startProcess(...command: string[]): Promise<Host> {
  const running = await start(command)
  const stop = async (): Promise<string> => {
    const { code, stderr } = await running.stop()
    const said = stderr.replace(DENO_ON_SIGNALS, '')
    return code === 0 ? said : `exit code ${code} ${said}`
  }
  return { url: running.said, stop }
}

async function startInWorker(path: string): Promise<Host> {
  const running = await startWorker('worker-server')
  return { url: running.said + path, stop: async () => (await running.stop()).stderr }
}

/** What a runtime cannot give. */
export interface Gaps {
  readonly sessions?: string
  readonly changes?: string
  readonly cancelling?: string
}

const SILENT = 'workerd does not tell a worker that its caller has gone'
const APART = 'a worker keeps the requests of its callers apart: what happens in one cannot be told in another'

/** Every runtime, how it serves, and what it cannot. */
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
