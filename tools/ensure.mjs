/** Makes a checkout ready to run: installs what is missing and builds what is out of date. Prints to stderr only. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { librarySources } from './lib/entrypoints.mjs'
import { filesBelow, hashFiles } from './lib/files.mjs'
import { install } from './lib/install.mjs'
import { acquireLock } from './lib/lock.mjs'
import { DIST, isMain, PACKAGE, ROOT } from './lib/paths.mjs'

const STAMP = join(ROOT, 'node_modules', '.portcall', 'build')

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Portcall requires Node 20.19 or later; this is ${process.version}`)
  process.exit(1)
}

/** Returns the files that the build depends on. */
function inputs() {
  const settings = ['tsconfig.base.json', 'package-lock.json', 'tools/build.mjs', 'tools/lib/chunks.mjs'].map((path) =>
    join(ROOT, path),
  )
  const bundler = filesBelow(join(ROOT, 'tools', 'lib', 'declarations'), '.mjs')
  // Packing writes the bill of materials.
  const manifests = filesBelow(PACKAGE, '.json').filter((path) => basename(path) !== 'sbom.cdx.json')
  return [...settings, ...bundler, ...manifests, ...librarySources()]
}

function isBuilt(hash) {
  return existsSync(DIST) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash
}

/** Installs and builds if necessary. Commands that run at the same time build once. */
export async function ensure() {
  requireNode()
  install(ROOT)
  const hash = hashFiles(inputs())
  if (isBuilt(hash)) return
  const release = acquireLock('build')
  try {
    if (isBuilt(hash)) return
    console.error('building portcall …')
    const { build } = await import('./build.mjs')
    await build()
    mkdirSync(join(STAMP, '..'), { recursive: true })
    writeFileSync(STAMP, hash)
  } finally {
    release()
  }
}

if (isMain(import.meta)) await ensure()
