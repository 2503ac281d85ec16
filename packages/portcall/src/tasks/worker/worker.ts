import { unref } from '../../../../util/src/timers.ts'
import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { ErrorBody } from '../../jsonrpc/message.ts'
import { type Lease, LeaseLostError, type LeaseOptions, takeLease } from '../../stores/lease.ts'
import type { TaskProcessor } from '../queues/queue.ts'
import { endRun, giveUpOvertakenRun, giveUpRun, leaseFactor, startRun, type TaskRecord } from '../store/record.ts'
import { leaseKey, type TaskRef } from '../store/task-store.ts'
import { isTerminalStatus } from '../types.ts'
import { type RunningTask, type RunTaskOptions, runTask } from './run-task.ts'
import { createStallReports, type StallReports } from './stall-reports.ts'

export interface WorkerOptions extends RunTaskOptions {
  readonly lease: Pick<LeaseOptions, 'store' | 'leaseTtlMs' | 'futureLeases'>
  readonly maxAttempts: number
  /** Called with a warning when the event loop was blocked for so long that a lease may have expired. */
  readonly onWarning: (message: string) => void
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

/** A task whose lease this worker holds. */
interface LeasedTask {
  readonly ref: TaskRef
  readonly lease: Lease
  /** Called with the record of the run that starts. */
  onStart(record: TaskRecord): void
}

export function createWorker(options: WorkerOptions): Worker {
  const { taskStore } = options
  const running = new Map<string, Promise<ProcessOutcome>>()
  const stopping = new AbortController()
  const stalls = createStallReports({ leaseTtlMs: options.lease.leaseTtlMs, onWarning: options.onWarning })

  const runOnce = async ({ ref, lease, onStart }: LeasedTask): Promise<ProcessOutcome> => {
    const record = await taskStore.change(ref, startRun)
    if (record?.status !== 'working') return 'done'
    onStart(record)
    if (record.openRuns.length > options.maxAttempts) {
      await taskStore.change(ref, (latest) => endRun(latest, { error: tooManyAttempts(record, options) }, options.now()))
      return 'done'
    }
    const factor = leaseFactor(record)
    if (factor > 1) await lease.setTtl(options.lease.leaseTtlMs * factor)
    const obsolete = new AbortController()
    const signal = AbortSignal.any([lease.signal, obsolete.signal, stopping.signal])
    const toLoss = (): LeaseLostError => new LeaseLostError(causeOfLoss(stalls))
    const task: RunningTask = { ref, record, signal, whenHeld: lease.whenHeld, toLoss }
    const unwatch = await watchRecord(task, options, (reason) => obsolete.abort(reason))
    try {
      await runTask(task, options)
    } catch (error) {
      if (!signal.aborted) throw error
      const giveUp = stopping.signal.aborted ? giveUpRun : giveUpOvertakenRun
      await taskStore.change(ref, (latest) => giveUp(latest, record.run)).catch(options.onError)
      return obsolete.signal.aborted ? 'done' : 'retry'
    } finally {
      unwatch()
    }
    return 'done'
  }

  const runWithLease = async (ref: TaskRef): Promise<ProcessOutcome> => {
    if (stopping.signal.aborted) return 'retry'
    let record: TaskRecord | undefined
    const endWatch = stalls.watch(() => record)
    try {
      const lease = await takeLease({
        ...options.lease,
        key: leaseKey(ref),
        mayContinue: async () => !record || isCurrent(await taskStore.read(ref), record),
        causeOfLoss: () => causeOfLoss(stalls),
      })
      if (!lease) return 'retry'
      try {
        return await runOnce({ ref, lease, onStart: (started) => void (record = started) })
      } finally {
        await lease.release()
      }
    } finally {
      endWatch()
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

/** Reports whether a task has neither ended nor been started again since its record was read. */
function isCurrent(latest: TaskRecord | undefined, { run }: TaskRecord): boolean {
  return latest !== undefined && latest.run === run && !isTerminalStatus(latest.status)
}

function causeOfLoss(stalls: StallReports): string {
  const stall = stalls.recent()
  return `another process has taken over the task${stall === undefined ? '' : `, because ${stall}`}`
}

/**
 * Calls `onObsolete` when a task is cancelled, has expired, or was started by another worker. Polls in addition to watching, because
 * notifications may be lost. Resolves to a function that stops it.
 */
async function watchRecord(
  { ref, record, toLoss }: RunningTask,
  { taskStore, lease }: WorkerOptions,
  onObsolete: (reason: Error) => void,
): Promise<() => void> {
  const check = async (): Promise<void> => {
    const latest = await taskStore.read(ref).catch(() => record)
    if (latest && latest.run !== record.run) onObsolete(toLoss())
    else if (!isCurrent(latest, record)) onObsolete(new Error('The task was cancelled, or has expired'))
  }
  const timer = unref(setInterval(check, lease.leaseTtlMs))
  const unwatch = await taskStore.watch(ref, () => void check()).catch(() => () => {})
  return () => {
    clearInterval(timer)
    unwatch()
  }
}

function tooManyAttempts({ openRuns, overtaken }: TaskRecord, { maxAttempts }: WorkerOptions): ErrorBody {
  const overtakings =
    overtaken > 0
      ? `. It was taken over ${overtaken} times from processes that had not failed: do they block their event loop?`
      : ''
  const message = `The task was started ${openRuns.length - 1} times and its worker failed each time; it is not started again (maxAttempts: ${maxAttempts})${overtakings}`
  return { code: ErrorCode.internalError, message }
}
