import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const LOAD = '0'
const SERVER = '1'
const CORES = [LOAD, SERVER]

const isOurs = (core) => spawnSync('taskset', ['-c', core, 'true']).status === 0

const canPin = () => process.platform === 'linux' && availableParallelism() > 1 && CORES.every(isOurs)

/**
 * Whether load generator and server each have a core to themselves. Left alone, a scheduler puts them now on one and now on two, and
 * what comes out differs by half.
 */
export const PINNED = canPin()

const pinned =
  (core) =>
  ({ command, args }) =>
    PINNED ? { command: 'taskset', args: ['-c', core, command, ...args] } : { command, args }

/** Places the program of this number in a row, each on the next core; the first is with the load generator. */
export const inTurn = (nth) => pinned(CORES[nth % CORES.length])

/** Puts processes that run already each on the next core. */
export function spreadOut(pids) {
  if (PINNED) for (const [nth, pid] of pids.entries()) spawnSync('taskset', ['-acp', CORES[nth % CORES.length], String(pid)])
}

/** The program, on the core of the load generator. */
export const onLoadCore = pinned(LOAD)

/** The program, on the core of the server that is measured. */
export const onServerCore = pinned(SERVER)
