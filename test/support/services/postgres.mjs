import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.mjs'
import { findProgram } from './programs.mjs'
import { createHome, runService } from './service.mjs'

/**
 * Returns the user that programs run as which refuse to run as root, when the tests run as root. The folder is given to this user.
 *
 * @param {string} folder
 * @returns {{ uid?: number, gid?: number }}
 */
export function unprivileged(folder) {
  if (process.getuid?.() !== 0) return {}
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const user = ['postgres', 'nobody'].map((name) => users.find(([each]) => each === name)).find(Boolean)
  if (!user) throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody')
  const owner = { uid: Number(user[2]), gid: Number(user[3]) }
  chownSync(folder, owner.uid, owner.gid)
  return owner
}

function makeCluster(folder, owner) {
  const data = join(folder, 'data')
  const args = ['-D', data, '-U', 'portcall', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  execFileSync(findProgram('initdb'), args, { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  return data
}

/**
 * Starts PostgreSQL with a new cluster. Returns `undefined` when it is not installed. `args` are added to its command.
 *
 * @param {{ args?: string[], diskMb?: number }} [options]
 */
export async function startPostgres({ args = [], diskMb } = {}) {
  const command = findProgram('postgres')
  if (!command || !findProgram('initdb')) return undefined
  const home = createHome('postgres', diskMb)
  const owner = unprivileged(home.folder)
  const data = makeCluster(home.folder, owner)
  const port = await freePort()
  const place = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', home.folder]
  const status = join(data, 'postmaster.pid')
  const isReady = (pid) => {
    const lines = existsSync(status) ? readFileSync(status, 'utf8').split('\n') : []
    return Number(lines[0]) === pid && lines[7]?.startsWith('ready') === true
  }
  const spawnOptions = { ...owner, cwd: home.folder }
  const service = await runService({ name: 'postgres', home, command, args: [...place, ...args], spawnOptions, isReady })
  return { ...service, port, url: `postgres://portcall@127.0.0.1:${port}/postgres` }
}
