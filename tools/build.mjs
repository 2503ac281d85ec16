/** Builds the library: its doors into packages/portcall/dist, with declarations. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { minifySync } from 'rolldown/utils'
import { chunksOfDoors } from './lib/chunks.mjs'
import { builtDoors, programs } from './lib/doors.mjs'
import { filesBelow } from './lib/files.mjs'
import { DIST, isMain, PACKAGE, ROOT, readText } from './lib/paths.mjs'
import { runNode } from './lib/run.mjs'

/** Packages that are bundled, loaded when they are first needed. */
const BUNDLED = ['typebox', 're2js', 'jsonc-parser', 'yaml', '@decimalturn/toml-patch', 'ipaddr.js', 'jose', 'oauth4webapi']

/** The validator of plain JSON Schema is in one file with its package: the first call of most servers waits for it. */
const OWN_CHUNK = BUNDLED.filter((name) => name !== 'typebox')
const SMALL = [...OWN_CHUNK, 'validator']

/** What both bundles have in common. */
const INPUT = {
  resolve: { conditionNames: ['import', 'default'], mainFields: ['module', 'main'] },
  tsconfig: false,
  logLevel: 'warn',
}
const OUTPUT = {
  format: 'esm',
  entryFileNames: '[name].js',
  minifyInternalExports: false,
  comments: { legal: true, annotation: true, jsdoc: false },
}

/** What others wrote is read by nobody here, and costs less to load when it is small. */
const smallPackages = {
  name: 'small-packages',
  renderChunk(code, { name, fileName }) {
    if (!SMALL.includes(name)) return null
    const { code: small, map } = minifySync(fileName, code, { module: true, sourcemap: true })
    return { code: small, map }
  },
}

/** The end of a relative import in a declaration, which must name the built file. */
const TS_IMPORT = /((?:from |import\(|declare module )'\.{1,2}\/[^'\n]+)\.ts(')/g

const inPackage = (name) => new RegExp(`[\\\\/]node_modules[\\\\/]${name}[\\\\/]`)

/** What is in a folder above the doors meets the library as its users do, by the names of the doors: it has no part in how they are split. */
const byDoors = (folder) => ({
  name: 'by-doors',
  resolveId(source, importer) {
    const path = importer?.startsWith(folder + sep) && source.startsWith('.') ? resolve(dirname(importer), source) : undefined
    const door = builtDoors().find((one) => one.source === path)
    return door && { id: door.name, external: true }
  },
})

async function writeScripts(folder) {
  if (builtDoors().length === 0) throw new Error('there is no door to build')
  const bundle = await rolldown({
    input: Object.fromEntries(builtDoors().map(({ entry, source }) => [entry, source])),
    platform: 'neutral',
    external: /^node:/,
    plugins: [smallPackages, byDoors(join(PACKAGE, 'src', 'testing'))],
    ...INPUT,
  })
  const { output } = await bundle.write({
    ...OUTPUT,
    dir: folder,
    sourcemap: true,
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: {
      groups: [...OWN_CHUNK.map((name) => ({ name, test: inPackage(name) })), ...chunksOfDoors()],
    },
  })
  await bundle.close()
  return output.flatMap((chunk) => chunk.moduleIds ?? [])
}

/** The programs of the package are bundled by themselves, so that they change nothing in what users of the library load. */
async function writePrograms(folder) {
  const bundle = await rolldown({
    input: Object.fromEntries(programs().map(({ entry, source }) => [entry, source])),
    platform: 'node',
    plugins: [byDoors(PACKAGE)],
    ...INPUT,
  })
  const { output } = await bundle.write({ ...OUTPUT, dir: folder, chunkFileNames: 'cli/[name].js' })
  await bundle.close()
  return output.flatMap((chunk) => chunk.moduleIds ?? [])
}

/** Declarations are emitted file by file and not checked here: `npm run check:types` does that. */
function writeDeclarations(folder) {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = join(PACKAGE, 'tsconfig.node.json')
  const { ok, output } = runNode([compiler, '-p', project, '--outDir', folder, '--noCheck', '--isolatedDeclarations', 'false'], {
    quiet: true,
  })
  if (!ok) throw new Error(`the declarations cannot be written:\n${output}`)
  rmSync(join(folder, 'cli'), { recursive: true, force: true })
  for (const path of filesBelow(folder, '.d.ts')) writeFileSync(path, readText(path).replace(TS_IMPORT, '$1.js$2'))
}

/** The licences of what the chunks contain travel with them. */
function writeLicences(folder, modules) {
  const texts = BUNDLED.filter((name) => modules.some((id) => inPackage(name).test(id))).map((name) => {
    const home = join(ROOT, 'node_modules', name)
    const file = readdirSync(home).find((entry) => /^licen[cs]e/i.test(entry))
    return `${name}\n\n${file ? readText(join(home, file)) : 'MIT'}`
  })
  if (texts.length) writeFileSync(join(folder, 'THIRD-PARTY.txt'), texts.join('\n\n'))
}

/** Puts a build in the place of the last one; when another build does the same at the same time, both are good. */
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

/** Builds beside the old build and takes its place at the end, so that nobody sees half of one. */
export async function build() {
  const next = join(PACKAGE, 'build', `next-${process.pid}`)
  const last = join(PACKAGE, 'build', `last-${process.pid}`)
  mkdirSync(next, { recursive: true })
  try {
    writeDeclarations(next)
    writeLicences(next, [...(await writeScripts(next)), ...(await writePrograms(next))])
    replaceDist(next, last)
  } finally {
    for (const leftover of [next, last]) rmSync(leftover, { recursive: true, force: true })
  }
}

if (isMain(import.meta)) await build()
