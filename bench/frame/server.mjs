import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { programOf } from '../subjects.mjs'
import { onServerCore } from './cores.mjs'

const START_MS = 30_000

const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Starts an HTTP server of a subject, on the core of servers unless another is given, and waits until it listens.
 *
 * @returns {Promise<{ pid: number, port: number, close(): Promise<void> }>}
 */
export async function startServer(name, options, onCore = onServerCore) {
  const { command, args } = onCore(programOf(name, 'http', options))
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  const ended = once(child, 'exit').finally(() => running.delete(child))
  const listening = once(createInterface({ input: child.stdout }), 'line', { signal: AbortSignal.timeout(START_MS) })
  const [line] = await Promise.race([listening, ended.then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`)))])
  return {
    pid: child.pid,
    port: JSON.parse(line).port,
    async close() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
