import type { Socket } from 'node:net'
import { clearTimeout, setTimeout } from 'node:timers'
import { type Backoff, createBackoff } from '../../../util/src/backoff.ts'
import { createMetricsSnapshots } from './metrics-snapshots.ts'
import type { WorkerExit, WorkerProcess, WorkerProcessOptions } from './worker-process.ts'

/** The workers of one server. Those that end are started again. */
export interface ServerWorkers {
  /** Resolves when all workers serve for the first time. Rejects if one of them ends before that, unless it was asked to. */
  readonly ready: Promise<void>
  /** Resolves when all workers have ended and none is going to be started. */
  readonly ended: Promise<void>
  /** Passes a connection to the worker with the shortest backlog, in turn. */
  accept(socket: Socket): void
  /** Makes the health checks of all workers report that they are not ready. */
  stopReadiness(): void
  /** Asks all workers to finish their calls, and kills those that still run after `timeoutMs`. Resolves when all have ended. */
  close(timeoutMs: number): Promise<void>
}

export interface ServerWorkersOptions {
  readonly count: number
  readonly start: (number: number, callbacks: Omit<WorkerProcessOptions, 'settings'>) => WorkerProcess
  /** Called when a worker has ended and is going to be started again. */
  readonly onError: (error: Error) => void
}

/** One place in the pool. Its worker changes when it is restarted. */
interface Slot {
  readonly number: number
  readonly backoff: Backoff
  worker: WorkerProcess | undefined
  startedAt: number
  isReady: boolean
  /** The worker ends because it was asked to, or closes by itself. */
  isClosing: boolean
  timer?: ReturnType<typeof setTimeout> | undefined
}

const RESTART_DELAY = { firstMs: 100, maxMs: 30_000 }
/** A worker that ran for this long starts again without a longer delay. */
const STABLE_MS = 10_000
/** How long a worker may take until it serves. */
const START_TIMEOUT_MS = 60_000
/** Connections that wait while no worker is ready. */
const MAX_WAITING = 4096

/** Starts the workers. */
export function createServerWorkers({ count, start, onError }: ServerWorkersOptions): ServerWorkers {
  const slots = Array.from({ length: count }, (_, index) => createSlot(index + 1))
  const snapshots = createMetricsSnapshots()
  let waiting: Socket[] = []
  let turn = 0
  let isClosing = false
  let isStarting = true
  const { promise: started, resolve: resolveReady, reject: rejectReady } = createDeferred()
  const { promise: ended, resolve: resolveEnded } = createDeferred()
  const ready = started.finally(() => (isStarting = false))

  const accept = (socket: Socket): void => {
    const next = [...slots.slice(turn % count), ...slots.slice(0, turn % count)].filter(({ isReady }) => isReady)
    turn++
    const worker = next.sort((a, b) => backlogOf(a) - backlogOf(b))[0]?.worker
    if (worker) worker.accept(socket)
    else if (waiting.length < MAX_WAITING) waiting.push(socket)
    else socket.destroy()
  }
  const onReady = (slot: Slot): void => {
    clearTimeout(slot.timer)
    slot.isReady = !slot.isClosing
    const sockets = waiting
    waiting = []
    sockets.forEach(accept)
    if (slots.every(({ isReady }) => isReady)) resolveReady()
  }
  const onExit = (slot: Slot, { reason, unaccepted }: WorkerExit): void => {
    clearTimeout(slot.timer)
    if (slot.worker) snapshots.end(slot.worker)
    Object.assign(slot, { worker: undefined, isReady: false })
    if (isStarting && !isClosing) rejectReady(new Error(`Worker ${slot.number} ended with ${reason} before it served`))
    unaccepted.forEach(accept)
    if (!isClosing && !slot.isClosing && !isStarting) restart(slot, reason)
    if (slots.every(({ worker, isClosing: isLast }) => !worker && (isLast || isClosing))) resolveEnded()
  }
  const collect = async (): Promise<readonly unknown[]> => {
    const running = slots.flatMap(({ worker }) => worker ?? [])
    await Promise.all(running.map(async (worker) => snapshots.update(worker, await worker.takeSnapshot())))
    return snapshots.all()
  }
  const startSlot = (slot: Slot): void => {
    Object.assign(slot, { startedAt: performance.now(), isClosing: false })
    const worker = start(slot.number, {
      onReady: () => onReady(slot),
      onClosing: () => Object.assign(slot, { isReady: false, isClosing: true }),
      onExit: (exit) => onExit(slot, exit),
      onCollect: (reply) => void collect().then(reply),
    })
    slot.worker = worker
    slot.timer = setTimeout(() => worker.kill(), START_TIMEOUT_MS)
  }
  const restart = (slot: Slot, reason: number | string): void => {
    if (performance.now() - slot.startedAt > STABLE_MS) slot.backoff.reset()
    const delayMs = slot.backoff.next()
    const error = new Error(`Worker ${slot.number} ended with ${reason}. It is started again in ${Math.ceil(delayMs)} ms`)
    // The frames would be those of the supervisor, which has done nothing wrong.
    error.stack = String(error)
    onError(error)
    slot.timer = setTimeout(startSlot, delayMs, slot)
  }
  const close = async (timeoutMs: number): Promise<void> => {
    isClosing = true
    for (const slot of slots) {
      clearTimeout(slot.timer)
      slot.isClosing = true
      slot.worker?.close()
    }
    for (const socket of waiting.splice(0)) socket.destroy()
    const killAll = (): void => slots.forEach(({ worker }) => void worker?.kill())
    const timer = setTimeout(killAll, timeoutMs)
    if (slots.some(({ worker }) => worker)) await ended
    clearTimeout(timer)
  }

  slots.forEach(startSlot)
  return { ready, ended, accept, stopReadiness: () => slots.forEach(({ worker }) => void worker?.stopReadiness()), close }
}

const backlogOf = ({ worker }: Slot): number => worker?.backlog ?? 0

function createSlot(number: number): Slot {
  const backoff = createBackoff(RESTART_DELAY)
  return { number, backoff, worker: undefined, startedAt: 0, isReady: false, isClosing: false }
}

interface Deferred {
  readonly promise: Promise<void>
  resolve(): void
  reject(error: Error): void
}

function createDeferred(): Deferred {
  let resolve!: () => void
  let reject!: (error: Error) => void
  const promise = new Promise<void>((...settle) => {
    ;[resolve, reject] = settle
  })
  return { promise, resolve, reject }
}
