/** Locates third-party programs: on the PATH, in Debian's folders, or, for root, installed from Debian's packages. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const POSTGRES = '/usr/lib/postgresql'

/** Each program with its package and the folders to search in addition to the PATH. */
const PROGRAMS = {
  'redis-server': { package: 'redis-server', folders: () => [] },
  'valkey-server': { folders: () => [] },
  postgres: { package: 'postgresql', folders: postgresFolders },
  initdb: { package: 'postgresql', folders: postgresFolders },
  zsh: { package: 'zsh', folders: () => [] },
  fish: { package: 'fish', folders: () => [] },
}

function postgresFolders() {
  if (!existsSync(POSTGRES)) return []
  const versions = readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(POSTGRES, version, 'bin'))
}

function find(name) {
  const folders = [...PROGRAMS[name].folders(), ...(process.env.PATH ?? '').split(delimiter)]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

function aptGet(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', ['-qq', '-y', ...args], { env, stdio: 'ignore', timeout: 240_000 }).status === 0
}

function install(packageName) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.error(`installing Debian's ${packageName} …`)
  aptGet('install', '--no-install-recommends', packageName) ||
    (aptGet('update') && aptGet('install', '--no-install-recommends', packageName))
}

/** Returns the path of a program. When it is not available, prints a warning to stderr and returns `undefined`. */
export function findProgram(name) {
  const found = find(name)
  if (found || !PROGRAMS[name].package) return found
  install(PROGRAMS[name].package)
  const installed = find(name)
  if (!installed) console.error(`SKIPPED: there is no ${name} on the PATH, and it cannot be installed here`)
  return installed
}
