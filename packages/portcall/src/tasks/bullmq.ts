import type { TaskEngine, Work } from './engine.ts'
import { answerOf, nextPause } from './engine-wait.ts'

/** What is used of a `Queue` of BullMQ. */
export interface BullQueue {
  add(name: string, data: object, options: object): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  close(): Promise<unknown>
}

/** What is used of a `Job` of BullMQ. */
export interface BullJob {
  readonly data: { readonly ref: string }
}

/** What is used of a `Worker` of BullMQ. */
export interface BullWorker {
  on(event: 'error', listener: (error: Error) => void): unknown
  close(force?: boolean): Promise<unknown>
}

/** Where the queue is, and how it is kept. */
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
  /** What BullMQ takes for a connection: `{ url }`, `{ host, port }`, or a client whose `maxRetriesPerRequest` is null. */
  readonly connection: object
  /** The name of the queue. Services that share a Redis need different ones. Default: `'portcall-tasks'`. */
  readonly queue?: string
  /** What the keys of BullMQ begin with; in a cluster it needs a hash tag, like `'{bull}'`. Default: that of BullMQ. */
  readonly prefix?: string
  /** A process that gives no sign of life for so long has lost its work to others. Default: 15000. */
  readonly lockMs?: number
  /** How long Redis may take for an answer, in milliseconds. Default: 2000. */
  readonly timeoutMs?: number
}

/** BullMQ gives a job up after so many attempts, which is never. */
const ENDLESS = 2 ** 31 - 1

/**
 * An engine over BullMQ (5 or newer), on Redis or Valkey: tasks of many machines. It connects when the first task comes or work begins.
 *
 * @example
 * import { Queue, Worker } from 'bullmq'
 * tasks({ engine: bullmq({ Queue, Worker, connection: { url: 'redis://localhost' } }) })
 */
export function bullmq(options: BullMQOptions): TaskEngine {
  const { lockMs = 15_000, timeoutMs = 2000, queue: name = 'portcall-tasks' } = options
  const place = { connection: options.connection, ...(options.prefix !== undefined && { prefix: options.prefix }) }
  let queue: BullQueue | undefined
  let worker: BullWorker | undefined
  let delivery: Delivery | undefined
  let closing: Promise<void> | undefined

  const openQueue = (): BullQueue => {
    const opened = new options.Queue(name, place)
    // Who adds something is told.
    opened.on('error', () => {})
    return opened
  }
  const close = async (): Promise<void> => {
    const ends = [worker?.close(), queue?.close()]
    await delivery?.close()
    // A Redis that is away is not waited for: what is not marked as done is delivered again.
    await Promise.allSettled(ends.map((end) => end && answerOf('BullMQ', end, timeoutMs)))
  }

  return {
    async add(ref) {
      queue ??= openQueue()
      const kept = { attempts: ENDLESS, backoff: { type: 'custom' }, removeOnComplete: true, removeOnFail: true }
      await answerOf('BullMQ', queue.add('task', { ref }, kept), timeoutMs)
    },
    async work(work, { concurrency, onError }) {
      delivery = createDelivery(work, onError)
      const locks = { lockDuration: lockMs, stalledInterval: lockMs, maxStalledCount: ENDLESS }
      const settings = { backoffStrategy: pauseBefore }
      const own = { ...place, ...locks, concurrency, settings, runRetryDelay: timeoutMs }
      worker = new options.Worker(name, delivery.deliver, own)
      worker.on('error', onError)
    },
    close: () => (closing ??= close()),
  }
}

/** How long BullMQ waits after so many attempts. */
function pauseBefore(attemptsMade: number): number {
  let pause = nextPause()
  for (let attempt = 1; attempt < Math.min(attemptsMade, 10); attempt++) pause = nextPause(pause)
  return pause
}

interface Delivery {
  deliver(job: BullJob): Promise<void>
  /** Begins with nothing more; resolves when all that was begun is settled. */
  close(): Promise<void>
}

/** Hands jobs to the work; a job that is to be delivered again fails, which is how BullMQ is told. */
function createDelivery(work: Work, onError: (error: unknown) => void): Delivery {
  const begun = new Set<Promise<void>>()
  let closed = false

  const settle = async (ref: string): Promise<void> => {
    const outcome = await work(ref).catch((error: unknown) => {
      onError(error)
      throw error
    })
    if (outcome === 'later') throw new Later()
  }
  return {
    async deliver({ data }) {
      if (closed) throw new Later()
      const settled = settle(data.ref).finally(() => begun.delete(settled))
      begun.add(settled)
      await settled
    },
    async close() {
      closed = true
      await Promise.allSettled(begun)
    },
  }
}

class Later extends Error {
  override readonly name = 'Later'

  constructor() {
    super('The task is worked on elsewhere, or this process stops: it is delivered again')
  }
}
