/**
 * `npm run check:pack`: the package that would be published works in another project. It is installed from the tarball, imported by Node,
 * compiled under both module resolutions, and checked by attw and publint. Its size, its metadata, its bill of materials
 * and the links of its README are checked too.
 */
import { copyFileSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ensureInspector } from './inspector.mjs'
import { runChecker } from './lib/checkers.mjs'
import { entryPoints } from './lib/entrypoints.mjs'
import { unresolvedOnNpm } from './lib/npm-readme.mjs'
import { PACKAGE, ROOT, readJson, readText } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { runNode, runNpm } from './lib/run.mjs'
import { faultsOfSbom, namesIn, readNotices } from './lib/third-party.mjs'

const PUBLISHED = /^(package\.json|README\.md|LICENSE|sbom\.cdx\.json|dist\/.*)$/
const METADATA = ['description', 'keywords', 'homepage', 'bugs', 'repository', 'author', 'license', 'engines']
/** The most that the installed package may take on disk. */
const MOST_KB = 6550
/** The unit in which most file systems allocate. */
const BLOCK = 4096
const RESOLUTIONS = { nodenext: 'nodenext', bundler: 'esnext' }

/** Packs the package into a folder and returns the tarball and the paths in it. */
function pack(folder) {
  const { ok, stdout, output } = runNpm(['pack', '--json', '--silent', '--pack-destination', folder], {
    cwd: PACKAGE,
    quiet: true,
  })
  if (!ok) throw new Error(`npm pack failed:\n${output}`)
  const [result] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))))
  return { tarball: join(folder, result.filename), paths: result.files.map(({ path }) => path) }
}

/** Writes a project that imports every entry point, and exports values whose types it does not name. */
function writeConsumer(folder) {
  const names = entryPoints().map(({ name }) => name)
  const lines = names.map((name, index) => `import * as entryPoint${index} from '${name}'`)
  const code = `${lines.join('\n')}\n\nexport const entryPoints = [${names.map((_, index) => `entryPoint${index}`).join(', ')}]\n`
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  writeFileSync(join(folder, 'main.ts'), code)
  writeFileSync(join(folder, 'main.js'), code)
  copyFileSync(join(import.meta.dirname, 'pack', 'exports.ts'), join(folder, 'exports.ts'))
}

/** Optional peers that entry points of their own import. Users of those install them. */
const PEERS = ['@opentelemetry/api', 'prom-client', 'preact', 'react']

/** Adds the peers to the project that imports every entry point. */
function linkPeers(folder) {
  for (const name of PEERS) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), link, 'dir')
  }
}

/** Returns what a file or a folder takes on disk, in bytes, as `du` counts it: in whole blocks. */
function diskUsage(path) {
  const stats = lstatSync(path)
  if (!stats.isDirectory()) return Math.ceil(stats.size / BLOCK) * BLOCK
  return readdirSync(path).reduce((sum, name) => sum + diskUsage(join(path, name)), BLOCK)
}

const TYPESCRIPT = {
  'TypeScript 6': (args, options) => runNode([join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), ...args], options),
  // The oldest one that the documentation names.
  'TypeScript 5.4': (args, options) => runChecker('typescript-5', args, options),
}

function compile(folder, compiler, moduleResolution) {
  const flags = [
    '--noEmit',
    '--declaration',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--target',
    'es2022',
  ]
  const kind = ['--module', RESOLUTIONS[moduleResolution], '--moduleResolution', moduleResolution]
  const types = [
    '--lib',
    'es2023,esnext.disposable,dom,dom.iterable',
    '--types',
    'node',
    '--typeRoots',
    join(ROOT, 'node_modules', '@types'),
  ]
  return TYPESCRIPT[compiler]([...flags, ...kind, ...types, 'main.ts', 'exports.ts'], { cwd: folder, quiet: true })
}

const faultsOf = ({ ok, output }) => (ok ? [] : output.trim().split('\n'))

await ensureInspector()
const report = createReport('pack')
const folder = mkdtempSync(join(tmpdir(), 'portcall-pack-'))
try {
  const { tarball, paths } = pack(folder)
  report.check(
    `${paths.length} files: dist, README.md, LICENSE, sbom.cdx.json`,
    paths.filter((path) => !PUBLISHED.test(path)),
  )
  for (const name of ['README.md', 'LICENSE', 'sbom.cdx.json', 'dist/THIRD-PARTY.txt', 'dist/inspector/page/index.html'])
    report.check(`${name} is included`, paths.includes(name) ? [] : [`${name} is missing`])
  const metadata = readJson(join(PACKAGE, 'package.json'))
  report.check(
    `the metadata is complete: ${METADATA.join(', ')}`,
    METADATA.filter((name) => Object.keys(metadata[name] ?? '').length === 0).map((name) => `${name} is missing`),
  )
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = metadata
  const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !peerDependenciesMeta[name]?.optional)
  report.check('no dependencies, only optional peers', needed)
  const quiet = { cwd: folder, quiet: true }
  report.check('attw', faultsOf(runChecker('attw', [tarball, '--profile', 'esm-only', '--no-color'], quiet)))
  report.check('publint', faultsOf(runChecker('publint', ['run', tarball, '--strict'], quiet)))
  writeConsumer(folder)
  report.check(
    'installs',
    faultsOf(runNpm(['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder, quiet: true })),
  )
  const installed = join(folder, 'node_modules', 'portcall')
  report.check(
    'no file contains a path of this machine',
    paths.filter((path) => readText(join(installed, path)).includes(ROOT)),
  )
  const size = Math.ceil(diskUsage(installed) / 1024)
  report.check(`${size} KB installed`, size > MOST_KB ? [`more than ${MOST_KB} KB`] : [])
  const bundled = [...new Set(namesIn(readNotices(join(installed, 'dist'))))]
  report.check(
    `the bill of materials lists the ${bundled.length} bundled packages`,
    bundled.length === 0 ? ['there are none'] : faultsOfSbom(readText(join(installed, 'sbom.cdx.json')), bundled),
  )
  linkPeers(folder)
  report.check('links and pictures of the README resolve on npm', unresolvedOnNpm(readText(join(installed, 'README.md'))))
  report.check('imports', faultsOf(runNode(['main.js'], { cwd: folder, quiet: true })))
  for (const compiler of Object.keys(TYPESCRIPT))
    for (const name of Object.keys(RESOLUTIONS))
      report.check(`compiles with ${compiler} and ${name}`, faultsOf(compile(folder, compiler, name)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
report.end()
