import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const LOAD = '0'
const SERVER = '1'
const CORES = [LOAD, SERVER]

const isOurs = (core) => spawnSync('taskset', ['-c', core, 'true']).status === 0

const canPin = () => process.platform === 'linux' && availableParallelism() > 1 && CORES.every(isOurs)

/**
 * True if the load generator and the server each have a core of their own. Otherwise the scheduler moves them between one and two cores, and
 * results vary by half.
 */
export const PINNED = canPin()

const pinned =
  (core) =>
  ({ command, args }) =>
    PINNED ? { command: 'taskset', args: ['-c', core, command, ...args] } : { command, args }

/** Pins the nth program of a series, each to the next core; the first shares the core of the load generator. */
export const inTurn = (nth) => pinned(CORES[nth % CORES.length])

/** Pins running processes, each to the next core. */
export function spreadOut(pids) {
  if (PINNED) for (const [nth, pid] of pids.entries()) spawnSync('taskset', ['-acp', CORES[nth % CORES.length], String(pid)])
}

/** Pins a program to the core of the load generator. */
export const onLoadCore = pinned(LOAD)

/** Pins a program to the core of the measured server. */
export const onServerCore = pinned(SERVER)
