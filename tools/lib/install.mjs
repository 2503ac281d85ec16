import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readJson, shown } from './paths.mjs'
import { runNpm } from './run.mjs'

/** The packages of a lock file that belong on this machine: linked and optional ones left out. */
function wanted(lock) {
  return Object.entries(lock.packages).filter(([path, entry]) => path.includes('node_modules/') && !entry.link && !entry.optional)
}

/** Tells whether what is installed in a folder is what its package-lock.json says. */
export function isInstalled(folder) {
  const installed = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(installed)) return false
  const { packages } = readJson(installed)
  return wanted(readJson(join(folder, 'package-lock.json'))).every(([path, { version }]) => packages[path]?.version === version)
}

/** Installs what the package-lock.json of a folder says, if that is not there yet. */
export function install(folder) {
  if (isInstalled(folder)) return
  console.error(`installing ${shown(folder) || 'the workspace'} …`)
  const { ok } = runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
  if (!ok) throw new Error(`npm ci failed in ${folder}`)
}
