import { builtDoors } from './doors.mjs'

const SERVER = ['index', 'stdio', 'http', 'node']
const OTHERS = [
  'client',
  'auth-client',
  'skills-client',
  'tasks-client',
  'jsonrpc',
  'stores',
  'stores-redis',
  'stores-sqlite',
  'stores-postgres',
]

/**
 * What is loaded together: all that can be reached from a door of each list. The first that fits takes a module; what none takes the
 * bundler splits by who needs it. Each file costs a program time at its start.
 */
const TOGETHER = [
  { chunk: 'core', from: [SERVER, OTHERS] },
  { chunk: 'server', from: [['index']] },
  { chunk: 'http-server', from: [['http'], ['node']] },
  { chunk: 'client', from: [['client']] },
]

/** All modules that are loaded with one, itself included. */
function loadedWith(id, context, found = new Set()) {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) loadedWith(imported, context, found)
  return found
}

/** The groups of the bundler that make these chunks, the first of them first. */
export function chunksOfDoors() {
  const doors = builtDoors()
  const sources = new Set(doors.map(({ source }) => source))
  let loaded
  const reaches = (names, id) => names.some((name) => loaded.get(name)?.has(id))
  return TOGETHER.map(({ chunk, from }) => ({
    name(id, context) {
      loaded ??= new Map(doors.map(({ entry, source }) => [entry, loadedWith(source, context)]))
      return !sources.has(id) && from.every((names) => reaches(names, id)) ? chunk : null
    },
    debugName: chunk,
  }))
}
