import { unref } from '../../../../util/src/timers.ts'
import type { ProcessOptions, TaskQueue } from '../queues/queue.ts'
import type { Requeuer } from './requeue.ts'
import type { Worker } from './worker.ts'

/** Starts and stops the worker of this process. */
export interface WorkerLifecycle {
  readonly isStopped: boolean
  /** Does nothing if it was started or stopped before. */
  start(): void
  /**
   * Stops delivery, and aborts the tasks that are still running after `drainTimeoutMs`; they continue in another process. Resolves when
   * nothing is running any more.
   */
  stop(drainTimeoutMs: number): Promise<void>
}

export interface WorkerLifecycleOptions extends ProcessOptions {
  readonly queue: TaskQueue
  readonly worker: Worker
  readonly requeuer: Requeuer
}

export function createWorkerLifecycle({ queue, worker, requeuer, ...options }: WorkerLifecycleOptions): WorkerLifecycle {
  let isStarted = false
  let stopping: Promise<void> | undefined

  return {
    get isStopped() {
      return stopping !== undefined
    },
    start() {
      if (isStarted || stopping) return
      isStarted = true
      requeuer.start()
      queue.process(worker.process, options).catch(options.onError)
    },
    stop(drainTimeoutMs) {
      requeuer.stop()
      const timer = unref(setTimeout(worker.abort, drainTimeoutMs))
      stopping ??= queue.close().finally(() => clearTimeout(timer))
      return stopping
    },
  }
}
