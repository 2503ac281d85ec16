import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../free-port.mjs'
import { unprivileged } from './postgres.mjs'
import { findProgram } from './programs.mjs'
import { createHome, runService } from './service.mjs'

/** Reports whether something accepts connections on a loopback port. */
function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const done = (answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('error', () => done(false))
    socket.once('connect', () => done(true))
  })
}

/**
 * Starts PgBouncer in front of a PostgreSQL server on loopback. Returns `undefined` when it is not installed.
 *
 * @param {{ target: number, mode: 'session' | 'transaction', poolSize?: number }} options
 */
export async function startPgBouncer({ target, mode, poolSize = 5 }) {
  const command = findProgram('pgbouncer')
  if (!command) return undefined
  const home = createHome('pgbouncer')
  const owner = unprivileged(home.folder)
  const port = await freePort()
  const file = join(home.folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
postgres = host=127.0.0.1 port=${target} user=portcall dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
server_login_retry = 1
default_pool_size = ${poolSize}
ignore_startup_parameters = extra_float_digits
`,
  )
  const service = await runService({
    name: 'pgbouncer',
    home,
    command,
    args: [file],
    spawnOptions: { ...owner, cwd: home.folder },
    isReady: () => accepts(port),
  })
  return { ...service, port, url: `postgres://portcall@127.0.0.1:${port}/postgres` }
}
