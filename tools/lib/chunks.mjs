import { entryPoints } from './entrypoints.mjs'

const SERVER = ['index', 'stdio', 'http', 'node']
const OTHERS = [
  'client',
  'gateway',
  'compose',
  'auth-client',
  'skills-client',
  'tasks-client',
  'telemetry',
  'metrics',
  'logging',
  'jsonrpc',
  'stores',
  'stores-redis',
  'stores-sqlite',
  'stores-postgres',
]

/**
 * Modules that are loaded together. A chunk takes the modules that are reachable from an entry point of each of its lists; the first
 * matching chunk wins, and the bundler splits the rest. Fewer files make programs start faster.
 */
const TOGETHER = [
  { chunk: 'core', from: [SERVER, OTHERS] },
  { chunk: 'server', from: [['index']] },
  { chunk: 'serve', from: [['stdio'], ['node']] },
  { chunk: 'http-server', from: [['http'], ['node']] },
  { chunk: 'client', from: [['client']] },
]

/** Small modules that parts of a client load on demand, and servers at once: the client must not load a chunk of a server for them. */
const SHARED = /[\\/]packages[\\/]util[\\/]src[\\/]loopback-host\.ts$/

/** Returns a module and everything it imports statically, directly or indirectly. */
function loadedWith(id, context, found = new Set()) {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) loadedWith(imported, context, found)
  return found
}

/** Returns the bundler's groups for these chunks, in order of precedence. */
export function chunksOfEntryPoints() {
  const all = entryPoints()
  const sources = new Set(all.map(({ source }) => source))
  let loaded
  const reaches = (names, id) => names.some((name) => loaded.get(name)?.has(id))
  const shared = { name: 'core', test: SHARED }
  const groups = TOGETHER.map(({ chunk, from }) => ({
    name(id, context) {
      loaded ??= new Map(all.map(({ entry, source }) => [entry, loadedWith(source, context)]))
      return !sources.has(id) && from.every((names) => reaches(names, id)) ? chunk : null
    },
    debugName: chunk,
  }))
  return [shared, ...groups]
}
