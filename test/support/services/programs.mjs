/**
 * Locates third-party programs: on the PATH, in Debian's folders, or, for root, installed from Debian's packages. So a folder in front of the PATH
 * replaces them: with a link `redis-server` to Valkey, for example.
 */
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installDebian } from '../../../tools/lib/debian.mjs'

const POSTGRES = '/usr/lib/postgresql'

/** Each program with its package and the folders to search in addition to the PATH. */
const PROGRAMS = {
  'redis-server': { package: 'redis-server', folders: () => [] },
  'valkey-server': { folders: () => [] },
  postgres: { package: 'postgresql', folders: postgresFolders },
  initdb: { package: 'postgresql', folders: postgresFolders },
  pgbouncer: { package: 'pgbouncer', folders: () => ['/usr/sbin'] },
  zsh: { package: 'zsh', folders: () => [] },
  fish: { package: 'fish', folders: () => [] },
}

function postgresFolders() {
  if (!existsSync(POSTGRES)) return []
  const versions = readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(POSTGRES, version, 'bin'))
}

function find(name) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...PROGRAMS[name].folders()]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** Returns the path of a program. When it is not available, prints a warning to stderr and returns `undefined`. */
export function findProgram(name) {
  const found = find(name)
  if (found || !PROGRAMS[name].package) return found
  installDebian(PROGRAMS[name].package)
  const installed = find(name)
  if (!installed) console.error(`SKIPPED: there is no ${name} on the PATH, and it cannot be installed here`)
  return installed
}
