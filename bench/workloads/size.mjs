/** The cost of a stdio server with tools before it does anything: import time, heap, bundle size, disk. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { onServerCore } from '../harness/cores.mjs'

const FOLDER = fileURLToPath(new URL('../build/size/', import.meta.url))
const BENCH = fileURLToPath(new URL('..', import.meta.url))
const PACKAGE = fileURLToPath(new URL('../../packages/portcall/', import.meta.url))
const KIB = 1024
const MB = 2 ** 20

/** The imports of each subject, and the packages that its users install. */
const SUBJECTS = {
  portcall: { imports: ['portcall', 'portcall/stdio'] },
  'official-1': {
    imports: ['@modelcontextprotocol/sdk/server/mcp.js', '@modelcontextprotocol/sdk/server/stdio.js'],
    packages: ['@modelcontextprotocol/sdk'],
  },
  'official-2': {
    imports: ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
    packages: ['@modelcontextprotocol/server'],
  },
  fastmcp: { imports: ['fastmcp'], packages: ['fastmcp'] },
  tmcp: { imports: ['tmcp', '@tmcp/transport-stdio'], packages: ['tmcp', '@tmcp/transport-stdio'] },
}

const fileOf = (name, kind, lines) => {
  mkdirSync(FOLDER, { recursive: true })
  const path = `${FOLDER}${name}-${kind}.mjs`
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** Imports modules in a separate process; returns milliseconds and heap. */
function importCosts(name, imports) {
  const path = fileOf(name, 'import', [
    'globalThis.gc()',
    'const heap = process.memoryUsage().heapUsed',
    'const startedAt = performance.now()',
    ...imports.map((from) => `await import('${from}')`),
    'const ms = performance.now() - startedAt',
    'globalThis.gc()',
    'console.log(JSON.stringify({ ms, heap: process.memoryUsage().heapUsed - heap }))',
  ])
  const { command, args } = onServerCore({ command: process.execPath, args: ['--expose-gc', path] })
  const { ms, heap } = JSON.parse(execFileSync(command, args, { encoding: 'utf8' }))
  return { importMs: ms, heapMB: heap / MB }
}

/** Returns the size of everything that is loaded at the start, as one minified bundle, without modules loaded on demand. */
async function bundleKB(name, imports) {
  const { rolldown } = await import('rolldown')
  const input = fileOf(
    name,
    'bundle',
    imports.map((from, index) => `export * as part${index} from '${from}'`),
  )
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const byName = new Map(output.map((chunk) => [chunk.fileName, chunk]))
  const needed = new Set(output.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  for (const fileName of needed) for (const other of byName.get(fileName)?.imports ?? []) if (byName.has(other)) needed.add(other)
  return gzipSync([...needed].map((fileName) => byName.get(fileName).code).join('\n')).length / KIB
}

const bytesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.slice(folder.length).includes('node_modules'))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

/** Finds the folder of an installed dependency: in the nearest node_modules upwards. */
function placeOf(packages, from, dependency) {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('node_modules') - 1))) {
    const candidate = `${place ? `${place}/` : ''}node_modules/${dependency}`
    if (packages[candidate]) return candidate
    if (!place) return undefined
  }
}

/** Returns packages with all their dependencies, as installed in this folder. */
function installedBytes(names) {
  const { packages } = JSON.parse(readFileSync(`${BENCH}package-lock.json`, 'utf8'))
  const places = new Set(names.map((name) => `node_modules/${name}`))
  for (const place of places)
    for (const dependency of Object.keys(packages[place].dependencies ?? {})) {
      const found = placeOf(packages, place, dependency)
      if (found) places.add(found)
    }
  return [...places].reduce((sum, place) => sum + bytesBelow(`${BENCH}${place}`), 0)
}

function packedBytes() {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: PACKAGE, encoding: 'utf8' })
  return JSON.parse(output)[0].unpackedSize
}

export const SIZE = [
  {
    id: 'size',
    title: 'A server over stdio before it does anything',
    columns: ['importMs', 'heapMB', 'bundleKB', 'installMB'],
    subjects: Object.keys(SUBJECTS),
    cells: [{ id: 'server', title: 'server' }],
    rounds: 5,
    open: (name) => ({ name, close() {} }),
    async measure({ name }) {
      const { imports, packages } = SUBJECTS[name]
      const installMB = (packages ? installedBytes(packages) : packedBytes()) / MB
      return { ...importCosts(name, imports), bundleKB: await bundleKB(name, imports), installMB }
    },
  },
]
