import { retryableOnce } from '../../../../util/src/async.ts'
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { describe } from '../../../../util/src/describe.ts'
import { createPoller } from '../../../../util/src/poller.ts'
import { delay } from '../../../../util/src/timers.ts'
import { StoreUnavailableError } from '../../stores/errors.ts'
import type { EnqueueOptions, ProcessOptions, TaskProcessor, TaskQueue } from './queue.ts'
import { REDELIVERY_BACKOFF, withQueueTimeout } from './queue-timeout.ts'

/** The data of a job: the reference, and the delay of its last redelivery. */
interface JobData extends EnqueueOptions {
  readonly ref: string
  readonly pauseMs?: number
}

/** The parts of a `PgBoss` that are used. You start it, listen to its errors, and stop it. */
export interface PgBossInstance {
  /** Returns a queue, or null if it does not exist. */
  getQueue(name: string): Promise<object | null>
  /** Creates a queue. */
  createQueue(name: string, options: { name: string }): Promise<unknown>
  /** Adds a job. */
  send(name: string, data: object, options: object): Promise<unknown>
  /** Takes jobs from a queue. */
  fetch(name: string, options: { batchSize: number }): Promise<readonly PgBossJob[]>
  /** Marks a job as done. */
  complete(name: string, id: string): Promise<unknown>
}

/** The parts of a job of pg-boss that are used. */
export interface PgBossJob {
  /** The id of the job. */
  readonly id: string
  /** The data of the job: a reference to the task. */
  readonly data: JobData
}

/** The settings of a pg-boss queue. */
export interface PgBossOptions {
  /** The name of the queue. Services that share a schema of pg-boss need different names. Default: `'portcall-tasks'`. */
  readonly queueName?: string
  /** How often the queue is polled for tasks of other processes, in milliseconds. Default: 2000. */
  readonly pollIntervalMs?: number
  /**
   * A job that is not complete after this many milliseconds, rounded up to seconds, is delivered again: to the same process, which ignores
   * it, or to another one if that process has failed. pg-boss checks every `maintenanceIntervalSeconds`. Default: 60,000.
   */
  readonly visibilityTimeoutMs?: number
  /** Time allowed for an operation, in milliseconds. Default: 2000. */
  readonly timeoutMs?: number
}

const NAMES: OptionNames<PgBossOptions> = { queueName: 'text', pollIntervalMs: 1, visibilityTimeoutMs: 1, timeoutMs: 1 }

/** The operations on the queue. */
interface JobQueue {
  send(data: JobData): Promise<void>
  fetch(limit: number): Promise<readonly PgBossJob[]>
  complete(id: string): Promise<void>
}

/** pg-boss fails a job after a number of retries. This one is never reached. */
const MAX_RETRIES = 2 ** 31 - 1

/**
 * Creates a queue on pg-boss 10.4 or newer, with PostgreSQL, for processes on several machines. 10.4 is the last version for Node 20.
 *
 * @example
 * const boss = new PgBoss('postgres://localhost/app')
 * boss.on('error', console.error)
 * await boss.start()
 * tasks({ queue: pgBoss(boss) })
 */
export function pgBoss(boss: PgBossInstance, options: PgBossOptions = {}): TaskQueue {
  if (typeof (boss as Partial<PgBossInstance> | undefined)?.send !== 'function')
    throw new TypeError(`pgBoss() needs a started PgBoss, not ${typeof boss === 'string' ? 'a text' : describe(boss)}`)
  checkOptions('pgBoss()', options, { names: NAMES })
  const { pollIntervalMs = 2000 } = options
  const jobQueue = openQueue(boss, options)
  let delivery: Delivery | undefined

  return {
    async enqueue(ref, { ttlMs }) {
      await jobQueue.send({ ref, ttlMs })
      delivery?.pollNow()
    },
    async process(processor, processOptions) {
      delivery = createDelivery({ jobQueue, process: processor, pollIntervalMs, ...processOptions })
      delivery.pollNow()
    },
    close: async () => delivery?.close(),
  }
}

function openQueue(boss: PgBossInstance, options: PgBossOptions): JobQueue {
  const { queueName = 'portcall-tasks', visibilityTimeoutMs = 60_000, timeoutMs = 2000 } = options
  const creation = retryableOnce(() =>
    retryOnDeadlock(async () => {
      if (!(await boss.getQueue(queueName))) await boss.createQueue(queueName, { name: queueName })
    }),
  )
  const run = <T>(operation: () => Promise<T>): Promise<T> => {
    const result = creation.run().then(() => retryOnDeadlock(operation))
    return withQueueTimeout('pg-boss', result, timeoutMs)
  }
  return {
    async send(data) {
      const { ttlMs, pauseMs = 0 } = data
      const jobOptions = {
        expireInSeconds: Math.ceil(visibilityTimeoutMs / 1000),
        retryLimit: MAX_RETRIES,
        retryDelay: 0,
        retentionSeconds: Math.ceil(ttlMs / 1000),
        startAfter: pauseMs / 1000,
      }
      const id = await run(() => boss.send(queueName, data, jobOptions))
      if (id === null) throw new StoreUnavailableError(`The pg-boss queue ${queueName} does not exist any more`)
    },
    fetch: (batchSize) => run(() => boss.fetch(queueName, { batchSize })),
    complete: async (id) => void (await run(() => boss.complete(queueName, id))),
  }
}

const DEADLOCK = '40P01'
const MAX_ATTEMPTS = 5

/** Creating a queue locks a table that others may be writing to: PostgreSQL aborts one of the two transactions, which can be retried. */
async function retryOnDeadlock<T>(operation: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await operation()
    } catch (error) {
      const isDeadlock = error instanceof Error && 'code' in error && error.code === DEADLOCK
      if (!isDeadlock || attempt === MAX_ATTEMPTS) throw error
      await delay(100 * Math.random())
    }
  }
}

interface DeliveryOptions extends ProcessOptions {
  readonly jobQueue: JobQueue
  readonly process: TaskProcessor
  readonly pollIntervalMs: number
}

interface Delivery {
  pollNow(): void
  /** Starts nothing more. Resolves when the jobs that were started are settled. */
  close(): Promise<void>
}

function createDelivery({ jobQueue, process, pollIntervalMs, concurrency, onError }: DeliveryOptions): Delivery {
  const running = new Map<string, Promise<void>>()
  let isClosed = false

  const processOrRetry = (ref: string): ReturnType<TaskProcessor> =>
    process(ref).catch((error: unknown) => {
      onError(error)
      return 'retry'
    })
  /** Sends a job again before it completes the old one, so that a failure in between leads to two deliveries rather than none. */
  const settle = async ({ id, data }: PgBossJob): Promise<void> => {
    if (isClosed) await jobQueue.send(data)
    else if ((await processOrRetry(data.ref)) === 'retry')
      await jobQueue.send({ ...data, pauseMs: nextRedeliveryDelayMs(data.pauseMs) })
    await jobQueue.complete(id)
  }
  const start = (job: PgBossJob): void => {
    // A job that has expired while it is being processed here is delivered to this process again.
    if (running.has(job.id)) return
    const finish = (): void => {
      const wasFull = running.size >= concurrency
      running.delete(job.id)
      if (wasFull) poller.pollNow()
    }
    running.set(job.id, settle(job).catch(onError).finally(finish))
  }
  const poll = async (): Promise<void> => {
    while (!isClosed && running.size < concurrency) {
      const limit = concurrency - running.size
      const jobs = await jobQueue.fetch(limit)
      for (const job of jobs) start(job)
      if (jobs.length < limit) return
    }
  }
  const poller = createPoller({ intervalMs: pollIntervalMs, poll, onError })
  return {
    pollNow: poller.pollNow,
    async close() {
      isClosed = true
      await poller.close()
      await Promise.all(running.values())
    },
  }
}

function nextRedeliveryDelayMs(previousMs = REDELIVERY_BACKOFF.firstMs / 2): number {
  return Math.min(REDELIVERY_BACKOFF.maxMs, 2 * previousMs)
}
