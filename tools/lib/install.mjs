import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { acquireLock } from './lock.mjs'
import { readJson, shown } from './paths.mjs'
import { runNpm } from './run.mjs'

/** Returns the packages that a lock file requires: not linked, not optional. */
function required(lock) {
  return Object.entries(lock.packages).filter(([path, entry]) => path.includes('node_modules/') && !entry.link && !entry.optional)
}

/** Reports whether the installed packages match the package-lock.json of a folder. */
export function isInstalled(folder) {
  const installed = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(installed)) return false
  const { packages } = readJson(installed)
  return required(readJson(join(folder, 'package-lock.json'))).every(([path, { version }]) => packages[path]?.version === version)
}

/** Runs `npm ci` in a folder unless its packages are installed already. Of commands that run at the same time, one installs a folder. */
export function install(folder) {
  if (isInstalled(folder)) return
  const release = acquireLock(`install-${shown(folder).replaceAll(/\W+/g, '-')}`)
  try {
    if (isInstalled(folder)) return
    console.error(`installing ${shown(folder) || 'the workspace'} …`)
    const { ok } = runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
    if (!ok) throw new Error(`npm ci failed in ${folder}`)
  } finally {
    release()
  }
}
