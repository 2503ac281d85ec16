import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { programOf } from '../subjects.mjs'
import { onServerCore } from './cores.mjs'

const START_MS = 30_000
const HEAP = fileURLToPath(new URL('heap.mjs', import.meta.url))

/** A program of Node that can be asked for its heap. */
const withHeap = ({ command, args }) => ({ command, args: ['--expose-gc', '--import', HEAP, ...args] })

/** Asks a server for the bytes of heap that are in use; nothing where it cannot tell. */
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
 * @param {object} [how] `onCore` places it, on the core of servers when nothing is said; with `heap`, `heap()` tells bytes, or nothing for
 *   what does not run on Node
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
