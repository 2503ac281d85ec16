import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { ErrorBody } from '../../jsonrpc/message.ts'
import { type LeaseOptions, takeLease } from '../../stores/lease.ts'
import { unref } from '../../util/timers.ts'
import type { TaskProcessor } from '../queues/queue.ts'
import { endRun, returnAttempt, startRun, type TaskRecord } from '../store/record.ts'
import { leaseKey, type TaskRef } from '../store/task-store.ts'
import { isTerminalStatus } from '../types.ts'
import { type RunningTask, type RunTaskOptions, runTask } from './run-task.ts'

export interface WorkerOptions extends RunTaskOptions {
  readonly lease: Omit<LeaseOptions, 'key'>
  readonly maxAttempts: number
}

/** Runs tasks. A lease makes sure that each task runs in one place at a time, however often it is delivered. */
export interface Worker {
  readonly process: TaskProcessor
  /** The number of tasks that are running. */
  readonly size: number
  /** Aborts all running tasks, so that other processes continue them. */
  abort(): void
}

type ProcessOutcome = Awaited<ReturnType<TaskProcessor>>

export function createWorker(options: WorkerOptions): Worker {
  const { taskStore } = options
  const running = new Map<string, Promise<ProcessOutcome>>()
  const stopping = new AbortController()

  const runOnce = async (ref: TaskRef, leaseSignal: AbortSignal): Promise<ProcessOutcome> => {
    const record = await taskStore.change(ref, startRun)
    if (record?.status !== 'working') return 'done'
    if (record.attempts > options.maxAttempts) {
      await taskStore.change(ref, (latest) => endRun(latest, { error: tooManyAttempts(record, options) }, options.now()))
      return 'done'
    }
    const obsolete = new AbortController()
    const signal = AbortSignal.any([leaseSignal, obsolete.signal, stopping.signal])
    const unwatch = await abortWhenObsolete({ ref, record, signal }, obsolete, options)
    try {
      await runTask({ ref, record, signal }, options)
    } catch (error) {
      if (!signal.aborted) throw error
      if (stopping.signal.aborted)
        await taskStore.change(ref, (latest) => (latest.run === record.run ? returnAttempt(latest) : latest))
      return obsolete.signal.aborted ? 'done' : 'retry'
    } finally {
      unwatch()
    }
    return 'done'
  }

  const runWithLease = async (ref: TaskRef): Promise<ProcessOutcome> => {
    if (stopping.signal.aborted) return 'retry'
    const lease = await takeLease({ ...options.lease, key: leaseKey(ref) })
    if (!lease) return 'retry'
    try {
      return await runOnce(ref, lease.signal)
    } finally {
      await lease.release()
    }
  }

  return {
    async process(ref) {
      while (running.has(ref)) await running.get(ref)?.catch(() => {})
      const run = runWithLease(ref as TaskRef).finally(() => running.delete(ref))
      running.set(ref, run)
      return run
    },
    get size() {
      return running.size
    },
    abort: () => stopping.abort(new Error('The worker is stopping')),
  }
}

/**
 * Aborts the run of a task that is cancelled, has expired, or was started by another worker. Polls in addition to watching, because
 * notifications may be lost. Resolves to a function that stops it.
 */
async function abortWhenObsolete(
  { ref, record }: RunningTask,
  obsolete: AbortController,
  options: WorkerOptions,
): Promise<() => void> {
  const { taskStore, lease } = options
  const check = async (): Promise<void> => {
    const latest = await taskStore.read(ref).catch(() => record)
    if (!latest || isTerminalStatus(latest.status) || latest.run !== record.run)
      obsolete.abort(new Error('The task was cancelled, has expired, or is running elsewhere'))
  }
  const timer = unref(setInterval(check, lease.leaseTtlMs))
  const unwatch = await taskStore.watch(ref, () => void check()).catch(() => () => {})
  return () => {
    clearInterval(timer)
    unwatch()
  }
}

function tooManyAttempts({ attempts }: TaskRecord, { maxAttempts }: WorkerOptions): ErrorBody {
  const message = `The task was started ${attempts - 1} times and its worker failed each time; it is not started again (maxAttempts: ${maxAttempts})`
  return { code: ErrorCode.internalError, message }
}
