import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { inTurn } from './cores.mjs'

const PROGRAM = fileURLToPath(new URL('../load/main.mjs', import.meta.url))

const MOST_MS = 60_000

/** A load generator: a process that lives for the whole run, so that it is warm. */
class Generator {
  #nth
  #child
  #last = Promise.resolve()

  constructor(nth) {
    this.#nth = nth
  }

  /** Runs a job after the previous ones. */
  run(kind, job) {
    const next = this.#last.then(() => this.#do(kind, job))
    this.#last = next.catch(() => undefined)
    return next
  }

  end() {
    this.#child?.disconnect()
    this.#child = undefined
  }

  async #do(kind, job) {
    this.#child ??= this.#start()
    this.#child.send({ kind, ...job })
    const [{ result, error }] = await once(this.#child, 'message', { signal: AbortSignal.timeout(MOST_MS) }).catch(() =>
      this.#giveUp(),
    )
    if (error) throw new Error(error)
    for (const { failed, faults } of [result ?? []].flat())
      if (failed) throw new Error(`${failed} answers were wrong: ${faults.join('; ')}`)
    return result
  }

  #start() {
    const { command, args } = inTurn(this.#nth)({ command: process.execPath, args: [PROGRAM] })
    return spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  }

  /** Fails the jobs of a load generator whose server does not respond. */
  #giveUp() {
    this.#child.kill('SIGKILL')
    this.#child = undefined
    throw new Error(`no end after ${MOST_MS} ms`)
  }
}

const generators = []

const generatorOf = (nth) => (generators[nth] ??= new Generator(nth))

/**
 * Runs a job on the load generator after the previous ones, and returns its result.
 *
 * @throws Error when a response was wrong: the results of a failing server are meaningless.
 */
export const runLoad = (kind, job) => generatorOf(0).run(kind, job)

/** Runs the same job on several load generators in parallel, each on the next core, and returns their results. @throws Error as above. */
export const runLoads = (count, kind, job) =>
  Promise.all(Array.from({ length: count }, (_, nth) => generatorOf(nth).run(kind, job)))

/** Stops the load generators. */
export function endLoad() {
  for (const generator of generators) generator.end()
}
