import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BINARIES } from './binaries.mjs'
import { DIST } from './places.mjs'
import { type Running, start } from './process.ts'

/** Starts a worker; its first line is the address. */
export async function startWorker(name: string): Promise<Running> {
  const config = join(DIST, `${name}.capnp`)
  writeFileSync(config, configure(name))
  const running = await start([BINARIES.workerd, 'serve', config, '--control-fd=3'], 3)
  const { port } = JSON.parse(running.firstLine) as { port: number }
  return { ...running, firstLine: `http://127.0.0.1:${port}` }
}

/** The main module is the first one; the worker may call servers of this machine. */
function configure(name: string): string {
  const { files } = JSON.parse(readFileSync(join(DIST, `${name}.json`), 'utf8')) as { files: string[] }
  const modules = files.map((file) => `(name = "${file}", esModule = embed "${name}/${file}")`)
  const { objects = '', bindings = [] } = WORKERS[name] ?? {}
  const object = `(name = "${objects}", durableObjectNamespace = "Endpoint")`
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["local", "private", "public"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  modules = [${modules.join(', ')}],
  bindings = [${[...bindings, ...(objects ? [object] : [])].join(', ')}],
  ${objects ? OBJECTS : ''}
);
`
}

/** The binding of a worker for its Durable Object, and its other bindings. */
const WORKERS: { readonly [name: string]: { readonly objects?: string; readonly bindings?: readonly string[] } } = {
  'worker-server': { objects: 'OBJECT' },
  'worker-gateway': { objects: 'OBJECT' },
  'page-durable-object': { objects: 'ENDPOINT' },
  'page-worker': { bindings: ['(name = "SEALING_KEYS", text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")'] },
}

const OBJECTS = `durableObjectNamespaces = [(className = "Endpoint", uniqueKey = "endpoint")],
  durableObjectStorage = (inMemory = void),`
