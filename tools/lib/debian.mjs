import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { acquireLock } from './lock.mjs'

const TIMEOUT_MS = 240_000

/** `RUNLEVEL` keeps Debian from starting the services that it installs. */
function aptGet(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  return spawnSync('apt-get', ['-qq', '-y', ...args], { env, stdio: 'ignore', timeout: TIMEOUT_MS }).status === 0
}

/** Installs packages of Debian where that is possible: as root, on a machine that has apt-get. Returns whether it did. */
export function installDebian(...packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  console.error(`installing Debian's ${packages.join(', ')} …`)
  const release = acquireLock('apt')
  const install = () => aptGet('install', '--no-install-recommends', ...packages)
  try {
    return install() || (aptGet('update') && install())
  } finally {
    release()
  }
}
