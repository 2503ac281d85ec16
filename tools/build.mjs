/** Builds the library and the CLI into packages/portcall/dist, with type declarations. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { minifySync } from 'rolldown/utils'
import { chunksOfCommands, chunksOfEntryPoints } from './lib/chunks.mjs'
import { bundleDeclarations } from './lib/declarations/bundle.mjs'
import { entryPoints, programs } from './lib/entrypoints.mjs'
import { copyPage } from './lib/page.mjs'
import { DIST, isMain, PACKAGE, ROOT } from './lib/paths.mjs'
import { runNode } from './lib/run.mjs'
import { noticesOf, packagesOf } from './lib/third-party.mjs'

/** Packages that are bundled into chunks of their own and loaded on demand. */
const BUNDLED = [
  ...['typebox', 're2js', 'jsonc-parser', '@decimalturn/toml-patch', 'ipaddr.js', 'jose', 'minisearch', 'oauth4webapi'],
  ...['@apidevtools/json-schema-ref-parser', 'js-yaml'],
  ...['parse5', '@csstools/css-tokenizer'],
]

/** Optional peers that entry points of their own import. */
const PEERS = ['@opentelemetry/api', 'prom-client', 'preact', 'preact/hooks', 'react']

/** typebox shares a chunk with the validator that uses it, because the first call to most servers waits for both. */
const OWN_CHUNK = BUNDLED.filter((name) => name !== 'typebox')

const inPackage = (name) => new RegExp(`[\\\\/]node_modules[\\\\/]${name}[\\\\/]`)

/** The chunks of these packages, without the scope in their names. */
const packageChunks = OWN_CHUNK.map((name) => ({ name: name.slice(name.lastIndexOf('/') + 1), test: inPackage(name) }))
const SMALL = [...packageChunks.map(({ name }) => name), 'validator']

/** Options that both bundles share. */
const INPUT = {
  resolve: { conditionNames: ['import', 'default'], mainFields: ['module', 'main'] },
  tsconfig: false,
  logLevel: 'warn',
  experimental: { attachDebugInfo: 'none' },
}
const OUTPUT = {
  format: 'esm',
  entryFileNames: '[name].js',
  minifyInternalExports: false,
  comments: { legal: true, annotation: true, jsdoc: false },
}

/**
 * Minifies third-party code, which loads faster and nobody debugs here. Our own code stays as it is, so stack traces are readable without
 * source maps.
 */
const smallPackages = {
  name: 'small-packages',
  // An earlier hook would see its spaces added again.
  generateBundle(_options, chunks) {
    for (const [fileName, chunk] of Object.entries(chunks))
      if (SMALL.includes(chunk.name)) chunk.code = minifySync(fileName, chunk.code, { module: true }).code
  },
}

/** Matches a file that only exports what another exports. */
const FORWARDER = /^export \{[^}]*\} from "\.\/([^"]+)";\s*$/

/** Removes the files that only export what another exports: what is loaded on demand from them is loaded from the other. */
const withoutForwarders = {
  name: 'without-forwarders',
  generateBundle(_options, chunks) {
    const targets = new Map()
    for (const [fileName, { code }] of Object.entries(chunks)) {
      const target = FORWARDER.exec(code)?.[1]
      if (target === undefined) continue
      targets.set(basename(fileName), target)
      delete chunks[fileName]
    }
    for (const chunk of Object.values(chunks))
      chunk.code = chunk.code.replace(/\bimport\("\.\/([^"]+)"\)/g, (_, name) => `import("./${targets.get(name) ?? name}")`)
  },
}

/** Matches the entry points. Applications import them as users do, so that they do not affect how chunks are split. */
const PUBLIC = /^portcall(\/|$)/

/** The entry points of views. They share no chunk with others: each view is bundled with what it imports, and has to be small. */
const IN_VIEWS = ['apps', 'apps-openai', 'apps-preact', 'apps-react']

async function writeScripts(folder) {
  if (entryPoints().length === 0) throw new Error('package.json exports no entry point')
  const isInView = ({ entry }) => IN_VIEWS.includes(entry)
  const groups = [...packageChunks, ...chunksOfEntryPoints()]
  const others = await writeEntryPoints(
    folder,
    entryPoints().filter((entry) => !isInView(entry)),
    { groups },
  )
  const views = await writeEntryPoints(folder, entryPoints().filter(isInView), { prefix: 'view-' })
  return [...others, ...views]
}

async function writeEntryPoints(folder, entries, { groups = [], prefix = '' }) {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map(({ entry, source }) => [entry, source])),
    platform: 'neutral',
    // json-schema-ref-parser imports `fs` for files, which it never reads here.
    external: [/^node:/, '#described-page', 'fs', PUBLIC, ...PEERS],
    plugins: [smallPackages],
    ...INPUT,
  })
  const { output } = await bundle.write({
    ...OUTPUT,
    dir: folder,
    chunkFileNames: `chunks/${prefix}[name].js`,
    codeSplitting: { groups },
  })
  await bundle.close()
  return output.flatMap((chunk) => chunk.moduleIds ?? [])
}

/** Bundles the programs of the package separately, so that they do not affect the chunks that library users load. */
async function writePrograms(folder) {
  const commands = chunksOfCommands()
  const bundle = await rolldown({
    input: Object.fromEntries(programs().map(({ entry, source }) => [entry, source])),
    platform: 'node',
    plugins: [smallPackages, withoutForwarders, commands.plugin],
    ...INPUT,
    // A module can be in the chunk of another that loads it on demand.
    checks: { ineffectiveDynamicImport: false },
  })
  const codeSplitting = { groups: [...packageChunks, ...commands.groups] }
  const { output } = await bundle.write({ ...OUTPUT, dir: folder, chunkFileNames: 'cli/[name].js', codeSplitting })
  await bundle.close()
  return output.flatMap((chunk) => chunk.moduleIds ?? [])
}

/** Bundles the script of the page that shows views in a headless browser: `portcall/apps/testing` serves it. */
async function writeHostPage(folder) {
  const source = join(PACKAGE, 'src', 'preview', 'page', 'host-page.ts')
  const bundle = await rolldown({ input: source, platform: 'browser', ...INPUT })
  await bundle.write({ ...OUTPUT, file: join(folder, 'preview', 'host-page.js'), minify: true })
  await bundle.close()
}

/** Bundles the script of the pages of described views, as a module that exports its text: it is a part of these pages. */
async function writeDescribedPage(folder) {
  const source = join(PACKAGE, 'src', 'apps', 'described', 'page', 'main.ts')
  const bundle = await rolldown({ input: source, platform: 'browser', ...INPUT })
  const { output } = await bundle.generate({ ...OUTPUT, minify: true, codeSplitting: false })
  await bundle.close()
  const script = output[0].code.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
  writeFileSync(join(folder, 'apps-described-page.js'), `export default ${JSON.stringify(script)}\n`)
}

/** Emits declarations file by file, without type checking, which `npm run check:types` does, and bundles what entry points need. */
function writeDeclarations(folder) {
  const emitted = join(folder, 'declarations')
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = join(PACKAGE, 'tsconfig.node.json')
  const { ok, output } = runNode([compiler, '-p', project, '--outDir', emitted, '--noCheck', '--isolatedDeclarations', 'false'], {
    quiet: true,
  })
  if (!ok) throw new Error(`the declarations cannot be written:\n${output}`)
  const files = entryPoints().map(({ entry }) => ({
    entry,
    path: join(emitted, 'portcall', 'src', 'entrypoints', `${entry}.d.ts`),
  }))
  for (const [file, text] of bundleDeclarations(files)) {
    const path = join(folder, `${file}.d.ts`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  rmSync(emitted, { recursive: true })
}

/** Writes the JSON Schema of the configuration of gateways, for programs to read. */
async function writeGatewaySchema(folder) {
  const bundle = await rolldown({ input: join(PACKAGE, 'src', 'gateway', 'config', 'schema.ts'), platform: 'neutral', ...INPUT })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  const module = `data:text/javascript,${encodeURIComponent(output[0].code)}`
  const { GATEWAY_CONFIG_SCHEMA } = await import(module)
  writeFileSync(join(folder, 'gateway.schema.json'), `${JSON.stringify(GATEWAY_CONFIG_SCHEMA)}\n`)
}

/** Replaces the previous build. Retries when a concurrent build does the same; either result is valid. */
function replaceDist(next, last, attempts = 5) {
  try {
    if (existsSync(DIST)) renameSync(DIST, last)
    renameSync(next, DIST)
  } catch (error) {
    if (attempts === 0) throw error
    rmSync(last, { recursive: true, force: true })
    replaceDist(next, last, attempts - 1)
  }
}

/** Builds into a temporary folder and swaps it in at the end, so that no process sees a partial build. */
export async function build() {
  const next = join(PACKAGE, 'build', `next-${process.pid}`)
  const last = join(PACKAGE, 'build', `last-${process.pid}`)
  mkdirSync(next, { recursive: true })
  try {
    writeDeclarations(next)
    await writeGatewaySchema(next)
    const modules = [...(await writeScripts(next)), ...(await writePrograms(next))]
    await writeHostPage(next)
    await writeDescribedPage(next)
    writeFileSync(join(next, 'THIRD-PARTY.txt'), noticesOf(packagesOf(modules)))
    copyPage(next)
    replaceDist(next, last)
  } finally {
    for (const leftover of [next, last]) rmSync(leftover, { recursive: true, force: true })
  }
}

if (isMain(import.meta)) await build()
