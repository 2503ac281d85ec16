import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onLoadCore } from './cores.mjs'

const PROGRAM = fileURLToPath(new URL('../load/main.mjs', import.meta.url))

function start() {
  const { command, args } = onLoadCore({ command: process.execPath, args: [PROGRAM] })
  return spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
}

let child

/**
 * Lets the load generator run one job and gives the sample. There is one load generator for a whole run, so that it is warm.
 *
 * @throws Error when an answer was wrong: the figures of a server that fails mean nothing.
 */
export async function runLoad(job) {
  child ??= start()
  child.send(job)
  const [{ sample, error }] = await once(child, 'message')
  if (error) throw new Error(error)
  if (sample.failed) throw new Error(`${sample.failed} answers were wrong: ${sample.faults.join('; ')}`)
  return sample
}

/** Ends the load generator. */
export function endLoad() {
  child?.disconnect()
  child = undefined
}
