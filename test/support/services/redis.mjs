import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.mjs'
import { findProgram } from './programs.mjs'
import { createHome, runService } from './service.mjs'

const ANSWER_TIMEOUT_MS = 1000
const DEADLINE_MS = 60_000

/** Sends one command to Redis on a loopback port and resolves to the first chunk of its reply. */
export function say(port, ...words) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${words.join(' ')}\r\n`))
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error('no answer')))
    socket.once('error', reject)
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
  })
}

/** Waits until the reply to a command contains some texts. */
export async function untilSays(port, words, texts) {
  const deadline = performance.now() + DEADLINE_MS
  const isDone = async () => {
    const reply = await say(port, ...words).catch(() => '')
    return texts.every((text) => reply.includes(text))
  }
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`${words.join(' ')} does not say ${texts.join(', ')} within 60 s`)
    await sleep(50)
  }
}

/** Waits until a replica has the data of its primary. */
export const untilReplicating = (port) =>
  untilSays(port, ['INFO', 'replication'], ['master_link_status:up', 'master_sync_in_progress:0'])

/** Reports whether Redis responds on a loopback port. */
export const answers = (port) =>
  say(port, 'PING').then(
    (reply) => reply.startsWith('+PONG'),
    () => false,
  )

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
