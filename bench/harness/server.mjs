import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { programOf } from '../subjects.mjs'
import { onServerCore } from './cores.mjs'

const START_MS = 30_000
const HEAP = fileURLToPath(new URL('heap.mjs', import.meta.url))

/** Returns a Node program that can report its heap. */
const withHeap = ({ command, args }) => ({ command, args: ['--expose-gc', '--import', HEAP, ...args] })

/** Returns the used heap of a server in bytes. Undefined where it cannot be measured. */
async function heapOf(child, isTold) {
  if (!isTold) return undefined
  child.send('heap')
  return (await once(child, 'message'))[0]
}

const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Starts an HTTP server of a subject and waits until it listens.
 *
 * @param {object} [how] `onCore` pins the server, by default to the core of servers; with `heap`, `heap()` returns bytes, or undefined for a
 *   program that does not run on Node
 * @returns {Promise<{ pid: number, port: number, heap(): Promise<number | undefined>, close(): Promise<void> }>}
 */
export async function startServer(name, options, { onCore = onServerCore, heap = false } = {}) {
  const program = programOf(name, 'http', options)
  const isTold = heap && program.command === process.execPath
  const { command, args } = onCore(isTold ? withHeap(program) : program)
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit', ...(isTold ? ['ipc'] : [])] })
  running.add(child)
  const ended = once(child, 'exit').finally(() => running.delete(child))
  const listening = once(createInterface({ input: child.stdout }), 'line', { signal: AbortSignal.timeout(START_MS) })
  const [line] = await Promise.race([listening, ended.then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`)))])
  return {
    pid: child.pid,
    port: JSON.parse(line).port,
    heap: () => heapOf(child, isTold),
    async close() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
