import { MAX_TIMER_MS, unref } from '../../../../util/src/timers.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { TaskQueue } from '../queues/queue.ts'
import { markRequeued, type TaskRecord } from '../store/record.ts'
import { leaseKey, type TaskRef, type TaskStore } from '../store/task-store.ts'

/**
 * Enqueues tasks again that are working but neither in the queue nor with a worker: a process may have failed after it stored a task and
 * before it enqueued it.
 */
export interface Requeuer {
  /**
   * Enqueues a task again if it may be lost. Called whenever a client reads a task. The interval doubles each time, because the task may only
   * be waiting for a worker.
   */
  requeueIfLost(ref: TaskRef, record: TaskRecord): Promise<void>
  /** Starts to check all unfinished tasks every `sweepIntervalMs`, so that tasks that nobody reads are found too. */
  start(): void
  stop(): void
}

export interface RequeuerOptions {
  readonly store: KeyValueStore
  readonly taskStore: TaskStore
  readonly queue: TaskQueue
  /** A task that has no lease and was not updated for this long may be lost. */
  readonly leaseTtlMs: number
  /** The interval of sweeps. One process does each of them. */
  readonly sweepIntervalMs: number
  readonly maxClockSkewMs: number
  readonly onError: (error: unknown) => void
  readonly now: () => number
}

const SWEEP_KEY = 'tasks/swept'
const PAGE_SIZE = 100

export function createRequeuer(options: RequeuerOptions): Requeuer {
  const { store, taskStore, queue, leaseTtlMs, sweepIntervalMs, maxClockSkewMs, onError, now } = options
  let timer: ReturnType<typeof setInterval> | undefined
  let isStopped = false

  const requeueIfLost: Requeuer['requeueIfLost'] = async (ref, { status, updatedAt, queuedAt = updatedAt, ttlMs }) => {
    const lastActivityAt = Math.max(updatedAt, queuedAt)
    if (status !== 'working' || now() - lastActivityAt < Math.max(leaseTtlMs, lastActivityAt - updatedAt)) return
    if ((await store.get(leaseKey(ref))) !== undefined) return
    await taskStore.change(ref, (record) => markRequeued(record, now()))
    await queue.enqueue(ref, { ttlMs })
  }
  const checkTask = async (ref: TaskRef): Promise<void> => {
    const record = await taskStore.read(ref)
    if (record) await requeueIfLost(ref, record)
  }
  /** Takes the turn of this interval, also from a process whose clock was set back since. */
  const takeSweep = async (): Promise<boolean> => {
    const turn = { value: String(now()), ttlMs: sweepIntervalMs }
    if (await store.compareAndSet(SWEEP_KEY, { expected: undefined, ...turn })) return true
    const value = await store.get(SWEEP_KEY)
    return (
      value !== undefined &&
      Number(value) > now() + maxClockSkewMs &&
      store.compareAndSet(SWEEP_KEY, { expected: value, ...turn })
    )
  }
  const sweep = async (): Promise<void> => {
    if (!(await takeSweep())) return
    let page: TaskRef[] = []
    do {
      page = await taskStore.listUnfinished({ limit: PAGE_SIZE, ...(page.length > 0 && { after: page.at(-1) as TaskRef }) })
      for (const ref of page) if (!isStopped) await checkTask(ref)
    } while (!isStopped && page.length === PAGE_SIZE)
  }

  return {
    requeueIfLost,
    start() {
      if (!isStopped) timer ??= unref(setInterval(() => void sweep().catch(onError), Math.min(sweepIntervalMs, MAX_TIMER_MS)))
    },
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
