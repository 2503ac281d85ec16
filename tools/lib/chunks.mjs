import { join } from 'node:path'
import { entryPoints, programs } from './entrypoints.mjs'
import { ROOT } from './paths.mjs'

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
const SHARED = /[\\/](util[\\/]src[\\/]loopback-host|http[\\/]common[\\/]write-batcher)\.ts$/

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

/** The command prints this without running anything. */
const HELP = join(ROOT, 'packages', 'cli', 'src', 'help.ts')
/** Modules that load fast. */
const LIGHT = ['buffer', 'fs', 'fs/promises', 'module', 'os', 'path', 'process', 'stream/consumers', 'url', 'util'].map(
  (name) => `node:${name}`,
)

/**
 * Parts of the command that are loaded together, by what they load from outside of it: a few lines need no file of their own, but must not load
 * an entry point or a module of Node that only others need.
 */
const BY_IMPORTS = [
  { chunk: 'common', imports: LIGHT },
  { chunk: 'clients', imports: [...LIGHT, 'node:crypto', 'portcall/client', 'portcall/jsonrpc'] },
]

const isPackage = (id) => /[\\/]node_modules[\\/]/.test(id)

/** Creates a plugin that keeps modules outside of the bundle, and a function that returns what a module loads from there. */
function createOutside(filter) {
  const outside = new Map()
  const plugin = {
    name: 'outside',
    resolveId: {
      filter: { id: filter },
      handler(id, importer, { kind }) {
        if (kind === 'import-statement') outside.set(importer, [...(outside.get(importer) ?? []), id])
        return { id, external: true }
      },
    },
  }
  const importsOf = (id, context) =>
    [...loadedWith(id, context)].flatMap((loaded) => (isPackage(loaded) ? [loaded] : (outside.get(loaded) ?? [])))
  return { plugin, importsOf }
}

/** Returns the bundler's groups for the command, in order of precedence, and the plugin that they need. */
export function chunksOfCommands() {
  const sources = programs().map(({ source }) => source)
  const { plugin, importsOf } = createOutside(/^(?:node:|portcall(?:\/|$))/)
  let start
  function isStart(id, context) {
    start ??= new Set([...sources, HELP].flatMap((source) => [...loadedWith(source, context)]))
    return start.has(id)
  }
  // The bundler writes a file for what is loaded on demand in any case.
  const isFree = (id, context) =>
    !sources.includes(id) && !isPackage(id) && context.getModuleInfo(id).dynamicImporters.length === 0
  const groups = [
    { name: (id, context) => (isFree(id, context) && isStart(id, context) ? 'start' : null), debugName: 'start' },
    ...BY_IMPORTS.map(({ chunk, imports }) => ({
      name(id, context) {
        const fits = isFree(id, context) && importsOf(id, context).every((other) => imports.includes(other))
        return fits ? chunk : null
      },
      debugName: chunk,
    })),
  ]
  return { plugin, groups }
}
