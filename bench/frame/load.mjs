import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onLoadCore } from './cores.mjs'

const PROGRAM = fileURLToPath(new URL('../load/main.mjs', import.meta.url))

const MOST_MS = 60_000

function start() {
  const { command, args } = onLoadCore({ command: process.execPath, args: [PROGRAM] })
  return spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
}

let child
let last = Promise.resolve()

/** A server does not answer: its load generator cannot go on. */
function giveUp() {
  child.kill('SIGKILL')
  child = undefined
  throw new Error(`no end after ${MOST_MS} ms`)
}

async function doJob(kind, job) {
  child ??= start()
  child.send({ kind, ...job })
  const [{ result, error }] = await once(child, 'message', { signal: AbortSignal.timeout(MOST_MS) }).catch(giveUp)
  if (error) throw new Error(error)
  if (result?.failed) throw new Error(`${result.failed} answers were wrong: ${result.faults.join('; ')}`)
  return result
}

/**
 * Lets the load generator do one job, when those before are done, and gives its result. There is one load generator for a whole run, so that it is warm.
 *
 * @throws Error when an answer was wrong: the figures of a server that fails mean nothing.
 */
export function runLoad(kind, job) {
  const next = last.then(() => doJob(kind, job))
  last = next.catch(() => undefined)
  return next
}

/** Ends the load generator. */
export function endLoad() {
  child?.disconnect()
  child = undefined
}
