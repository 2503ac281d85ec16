import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { bundlePrograms } from '../../../tools/lib/bundle.mjs'
import { DIST, FOLDER } from './places.mjs'

const source = (path) => join(FOLDER, `${path}.ts`)
/** Programs that the deployment pages show. */
const page = (name) => `../newcomer/deploying/${name}`

/** Programs that import the installed library, like those of users. */
const PROGRAMS = [
  'servers/node',
  'servers/bun',
  'servers/deno',
  'servers/stdio',
  'servers/gateway',
  'clients/process',
  'stores/sqlite',
  'http-paths/program',
  'events/process',
]
/** Programs that are bundled for their platform. All imports must resolve without Node modules. */
const BUNDLES = {
  'worker-server': 'servers/worker',
  'worker-gateway': 'servers/worker-gateway',
  'worker-client': 'clients/worker',
  'worker-events': 'events/worker',
  page: 'clients/page',
  'page-worker': page('worker'),
  'page-durable-object': page('durable-object'),
}
/** Programs of the deployment pages that import the installed library. */
const PAGES = { 'pages/bun': page('bun'), 'pages/deno': page('deno') }

async function bundleWhole(name, entry) {
  const warnings = []
  const bundle = await rolldown({
    input: { main: source(entry) },
    cwd: FOLDER,
    platform: 'browser',
    tsconfig: false,
    onLog: (_level, log) => void warnings.push(log.message),
  })
  const { output } = await bundle.write({ dir: join(DIST, name), format: 'esm', chunkFileNames: 'chunks/[name].js' })
  await bundle.close()
  const outside = output
    .flatMap(({ imports = [], dynamicImports = [] }) => [...imports, ...dynamicImports])
    .filter((id) => !/\.js$/.test(id))
  const files = output.map(({ fileName }) => fileName)
  writeFileSync(join(DIST, `${name}.json`), JSON.stringify({ files, outside, warnings }))
}

/** Builds the programs of this folder. */
export async function buildPrograms() {
  mkdirSync(DIST, { recursive: true })
  // Bun would resolve imports by the `paths` of the parent folder, which point to the sources.
  writeFileSync(join(DIST, 'tsconfig.json'), '{}')
  const programs = { ...Object.fromEntries(PROGRAMS.map((path) => [path, path])), ...PAGES }
  await bundlePrograms(Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, source(path)])), DIST)
  for (const [name, entry] of Object.entries(BUNDLES)) await bundleWhole(name, entry)
}
