import { backoffMs } from '../../../../util/src/backoff.ts'
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import type { TaskProcessor, TaskQueue } from './queue.ts'
import { REDELIVERY_BACKOFF, withQueueTimeout } from './queue-timeout.ts'

/** The parts of a `Queue` of BullMQ that are used. */
export interface BullQueue {
  /** Adds a job. */
  add(name: string, data: object, options: object): Promise<unknown>
  /** Listens to errors. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Closes the connections of the queue. */
  close(): Promise<unknown>
}

/** The parts of a `Job` of BullMQ that are used. */
export interface BullJob {
  /** The data of the job. */
  readonly data: {
    /** The reference to the task. */
    readonly ref: string
  }
}

/** The parts of a `Worker` of BullMQ that are used. */
export interface BullWorker {
  /** Listens to errors. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Stops taking jobs. With `force`, does not wait for running ones. */
  close(force?: boolean): Promise<unknown>
}

/** The classes, the connection and the settings of a BullMQ queue. */
export interface BullMQOptions {
  /** The class `Queue` of BullMQ. */
  readonly Queue: new (
    name: string,
    options: { connection: object },
  ) => BullQueue
  /** The class `Worker` of BullMQ. */
  readonly Worker: new (
    name: string,
    processor: (job: BullJob) => Promise<void>,
    options: { connection: object },
  ) => BullWorker
  /** A connection as BullMQ accepts it: `{ url }`, `{ host, port }`, or a client whose `maxRetriesPerRequest` is null. */
  readonly connection: object
  /** The name of the queue. Services that share a Redis need different names. Default: `'portcall-tasks'`. */
  readonly queueName?: string
  /** The prefix of BullMQ's keys. In a cluster, it needs a hash tag, like `'{bull}'`. Default: BullMQ's default. */
  readonly prefix?: string
  /** Time to live of the lock of a job. If a process does not renew it, the job is delivered to another one. Default: 15,000. */
  readonly lockTtlMs?: number
  /** Time allowed for an operation, in milliseconds. Default: 2000. */
  readonly timeoutMs?: number
}

const NAMES: OptionNames<BullMQOptions> = {
  Queue: 'function',
  Worker: 'function',
  connection: 'object',
  queueName: 'text',
  prefix: 'text',
  lockTtlMs: 1,
  timeoutMs: 1,
}
const CLASSES = "Pass the classes of BullMQ: import { Queue, Worker } from 'bullmq'"
const REQUIRED = { Queue: CLASSES, Worker: CLASSES, connection: 'Pass { url } or { host, port } of Redis' }

/** BullMQ fails a job after a number of attempts. This one is never reached. */
const MAX_ATTEMPTS = 2 ** 31 - 1

/**
 * Creates a queue on BullMQ 5 or newer, with Redis or Valkey, for processes on several machines. It connects when the first task is enqueued
 * or delivery starts.
 *
 * @example
 * import { Queue, Worker } from 'bullmq'
 * tasks({ queue: bullmq({ Queue, Worker, connection: { url: 'redis://localhost' } }) })
 */
export function bullmq(options: BullMQOptions): TaskQueue {
  checkOptions('bullmq()', options, { names: NAMES, required: REQUIRED })
  const { lockTtlMs = 15_000, timeoutMs = 2000, queueName = 'portcall-tasks' } = options
  const location = { connection: options.connection, ...(options.prefix !== undefined && { prefix: options.prefix }) }
  let queue: BullQueue | undefined
  let worker: BullWorker | undefined
  let delivery: Delivery | undefined
  let closing: Promise<void> | undefined

  const openQueue = (): BullQueue => {
    const opened = new options.Queue(queueName, location)
    // Without a listener, an error would end the process. `enqueue` rejects anyway.
    opened.on('error', () => {})
    return opened
  }
  const close = async (): Promise<void> => {
    const closings = [worker?.close(), queue?.close()]
    await delivery?.close()
    // Closing does not wait for a Redis that is unavailable: jobs that are not marked as done are delivered again.
    await Promise.allSettled(closings.map((promise) => promise && withQueueTimeout('BullMQ', promise, timeoutMs)))
  }

  return {
    async enqueue(ref) {
      queue ??= openQueue()
      const jobOptions = { attempts: MAX_ATTEMPTS, backoff: { type: 'custom' }, removeOnComplete: true, removeOnFail: true }
      await withQueueTimeout('BullMQ', queue.add('task', { ref }, jobOptions), timeoutMs)
    },
    async process(processor, { concurrency, onError }) {
      delivery = createDelivery(processor, onError)
      const lockOptions = { lockDuration: lockTtlMs, stalledInterval: lockTtlMs, maxStalledCount: MAX_ATTEMPTS }
      const settings = { backoffStrategy: (attempts: number) => backoffMs(attempts - 1, REDELIVERY_BACKOFF) }
      const workerOptions = { ...location, ...lockOptions, concurrency, settings, runRetryDelay: timeoutMs }
      worker = new options.Worker(queueName, delivery.deliver, workerOptions)
      worker.on('error', onError)
    },
    close: () => (closing ??= close()),
  }
}

interface Delivery {
  deliver(job: BullJob): Promise<void>
  /** Accepts no more jobs. Resolves when the jobs that were accepted are settled. */
  close(): Promise<void>
}

/** Passes jobs to the processor. A job that is to be delivered again rejects, as BullMQ expects. */
function createDelivery(process: TaskProcessor, onError: (error: unknown) => void): Delivery {
  const running = new Set<Promise<void>>()
  let isClosed = false

  const processJob = async (ref: string): Promise<void> => {
    const outcome = await process(ref).catch((error: unknown) => {
      onError(error)
      throw error
    })
    if (outcome === 'retry') throw new RedeliverError()
  }
  return {
    async deliver({ data }) {
      if (isClosed) throw new RedeliverError()
      const job = processJob(data.ref).finally(() => running.delete(job))
      running.add(job)
      await job
    },
    async close() {
      isClosed = true
      await Promise.allSettled(running)
    },
  }
}

class RedeliverError extends Error {
  override readonly name = 'RedeliverError'

  constructor() {
    super('The task is running elsewhere, or this process is stopping: the job is delivered again')
  }
}
