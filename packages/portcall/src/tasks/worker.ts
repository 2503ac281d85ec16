import { ErrorCode } from '../jsonrpc/errors.ts'
import { unref } from '../jsonrpc/waiting.ts'
import { type LeaseOptions, takeLease } from '../stores/lease.ts'
import type { Work } from './engine.ts'
import { leaseKey, type TaskRef } from './ledger.ts'
import { begin, putBack, settle, type TaskRecord } from './record.ts'
import { type Begun, type RunOptions, run } from './run.ts'
import { isFinal } from './types.ts'

export interface WorkerOptions extends RunOptions {
  readonly lease: Omit<LeaseOptions, 'key'>
  readonly maxAttempts: number
}

/** Works on tasks, each in one place at a time, whoever delivers it. */
export interface Worker {
  readonly work: Work
  /** How many tasks it works on. */
  readonly size: number
  /** Leaves all it works on to others. */
  stop(): void
}

export function createWorker(options: WorkerOptions): Worker {
  const { ledger } = options
  const running = new Map<string, Promise<'done' | 'later'>>()
  const stopping = new AbortController()

  const begun = async (ref: TaskRef, lost: AbortSignal): Promise<'done' | 'later'> => {
    const record = await ledger.change(ref, begin)
    if (record?.status !== 'working') return 'done'
    if (record.attempts > options.maxAttempts) {
      await ledger.change(ref, (now) => settle(now, { error: givenUp(record, options) }, options.now()))
      return 'done'
    }
    const unwanted = new AbortController()
    const signal = AbortSignal.any([lost, unwanted.signal, stopping.signal])
    const leave = await heedChanges({ ref, record, signal }, unwanted, options)
    try {
      await run({ ref, record, signal }, options)
    } catch (error) {
      if (!signal.aborted) throw error
      if (stopping.signal.aborted) await ledger.change(ref, (now) => (now.run === record.run ? putBack(now) : now))
      return unwanted.signal.aborted ? 'done' : 'later'
    } finally {
      leave()
    }
    return 'done'
  }

  const leased = async (ref: TaskRef): Promise<'done' | 'later'> => {
    if (stopping.signal.aborted) return 'later'
    const lease = await takeLease({ ...options.lease, key: leaseKey(ref as TaskRef) })
    if (!lease) return 'later'
    try {
      return await begun(ref, lease.signal)
    } finally {
      await lease.release()
    }
  }

  return {
    async work(ref) {
      while (running.has(ref)) await running.get(ref)?.catch(() => {})
      const work = leased(ref as TaskRef).finally(() => running.delete(ref))
      running.set(ref, work)
      return work
    },
    get size() {
      return running.size
    },
    stop: () => stopping.abort(new Error('The worker stops')),
  }
}

/** Gives up work on a task that is cancelled, expires, or is begun by somebody else. What it does not hear of it sees a little later. */
async function heedChanges({ ref, record }: Begun, unwanted: AbortController, options: WorkerOptions): Promise<() => void> {
  const { ledger, lease } = options
  const look = async (): Promise<void> => {
    const now = await ledger.read(ref).catch(() => record)
    if (!now || isFinal(now.status) || now.run !== record.run) unwanted.abort(new Error('The task is not wanted any more'))
  }
  const timer = unref(setInterval(look, lease.leaseMs))
  const leave = await ledger.watch(ref, () => void look()).catch(() => () => {})
  return () => {
    clearInterval(timer)
    leave()
  }
}

function givenUp({ attempts }: TaskRecord, { maxAttempts }: WorkerOptions): { code: number; message: string } {
  const message = `The task was begun ${attempts - 1} times and its worker died each time; it is not begun again (maxAttempts: ${maxAttempts})`
  return { code: ErrorCode.internalError, message }
}
