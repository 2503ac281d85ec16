/**
 * `npm run inspector:build`: builds the page of `portcall inspect` from packages/inspector and puts it into the build of the package.
 * The library does not need it, so `npm start` and `npm run build` leave it out.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensure } from './ensure.mjs'
import { filesBelow, hashFiles, isTest } from './lib/files.mjs'
import { install } from './lib/install.mjs'
import { acquireLock } from './lib/lock.mjs'
import { copyPage, PAGE } from './lib/page.mjs'
import { isMain, SOURCE_FOLDERS } from './lib/paths.mjs'
import { runNode } from './lib/run.mjs'
import { noticesOf, packagesIn } from './lib/third-party.mjs'

const STAMP = join(PAGE.home, 'node_modules', '.portcall-build')

/** Returns the files that the page is built from. */
function inputs() {
  const settings = ['package-lock.json', 'vite.config.ts', 'index.html'].map((name) => join(PAGE.home, name))
  const sources = [join(PAGE.home, 'src'), ...SOURCE_FOLDERS].flatMap((folder) => filesBelow(folder, '.ts', '.tsx', '.css'))
  return [...settings, ...sources.filter((path) => !isTest(path))]
}

const isBuilt = (hash) => existsSync(PAGE.built) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash

function build() {
  console.error('building the inspector …')
  const vite = join(PAGE.home, 'node_modules', 'vite', 'bin', 'vite.js')
  // Tests set NODE_ENV; with another value, Vite builds a page for development, which contains the paths of this machine.
  const env = { NODE_ENV: 'production' }
  const { ok, output } = runNode([vite, 'build', PAGE.home, '--logLevel', 'warn'], { cwd: PAGE.home, quiet: true, env })
  if (!ok) throw new Error(`the inspector cannot be built:\n${output}`)
  writeFileSync(join(PAGE.built, 'THIRD-PARTY.txt'), noticesOf(packagesIn(PAGE.home, PAGE.takeLicenses())))
}

/** Builds the library and the page if they are out of date, and puts the page where `portcall inspect` looks for it. */
export async function ensureInspector() {
  await ensure()
  install(PAGE.home)
  const hash = hashFiles(inputs())
  const release = acquireLock('build')
  try {
    if (!isBuilt(hash)) {
      build()
      mkdirSync(join(STAMP, '..'), { recursive: true })
      writeFileSync(STAMP, hash)
    }
    copyPage()
  } finally {
    release()
  }
}

if (isMain(import.meta)) await ensureInspector()
