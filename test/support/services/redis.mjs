import { connect } from 'node:net'
import { freePort } from '../free-port.mjs'
import { findProgram } from './programs.mjs'
import { createHome, runService } from './service.mjs'

/** Reports whether Redis responds on a loopback port. */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const done = (answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(1000, () => done(false))
    socket.once('error', () => done(false))
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (data) => done(data.toString().startsWith('+PONG')))
  })
}

/**
 * Starts Redis or Valkey with data that survives SIGKILL. Returns `undefined` when it is not installed. `args` are added to its command.
 *
 * @param {{ program?: 'redis-server' | 'valkey-server', args?: string[], diskMb?: number }} [options]
 */
export async function startRedis({ program = 'redis-server', args = [], diskMb } = {}) {
  const command = findProgram(program)
  if (!command) return undefined
  const home = createHome('redis', diskMb)
  const port = await freePort()
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', home.folder]
  const durable = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always']
  const isReady = () => answers(port)
  const service = await runService({ name: program, home, command, args: [...place, ...durable, ...args], isReady })
  return { ...service, port, url: `redis://127.0.0.1:${port}` }
}
