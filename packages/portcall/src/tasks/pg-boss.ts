import { pause } from '../jsonrpc/waiting.ts'
import { StoreUnavailable } from '../stores/unavailable.ts'
import type { AddOptions, TaskEngine, Work, WorkOptions } from './engine.ts'
import { answerOf, nextPause } from './engine-wait.ts'
import { createLookout } from './lookout.ts'

/** A reference on its way, and how long it was held back the last time. */
interface Parcel extends AddOptions {
  readonly ref: string
  readonly pauseMs?: number
}

/** What is used of a `PgBoss`. You start it, listen to its errors, and stop it. */
export interface PgBossInstance {
  getQueue(name: string): Promise<object | null>
  createQueue(name: string, options: { name: string }): Promise<unknown>
  send(name: string, data: object, options: object): Promise<unknown>
  fetch(name: string, options: { batchSize: number }): Promise<readonly PgBossJob[]>
  complete(name: string, id: string): Promise<unknown>
}

/** What is used of a job of pg-boss. */
export interface PgBossJob {
  readonly id: string
  readonly data: Parcel
}

/** How the queue is kept. */
export interface PgBossOptions {
  /** The name of the queue. Services that share a schema of pg-boss need different ones. Default: `'portcall-tasks'`. */
  readonly queue?: string
  /** How often the queue is looked at for what other processes have added, in milliseconds. Default: 2000. */
  readonly pollMs?: number
  /**
   * What was delivered and is not done after so many seconds is delivered again, wherever: to the same process, which knows of it, or to
   * another one when that has died. pg-boss looks every `maintenanceIntervalSeconds`. Default: 60.
   */
  readonly expireSeconds?: number
  /** How long PostgreSQL may take for an answer, in milliseconds. Default: 2000. */
  readonly timeoutMs?: number
}

/** The queue, as it is used here. */
interface Queue {
  send(parcel: Parcel): Promise<void>
  fetch(most: number): Promise<readonly PgBossJob[]>
  complete(id: string): Promise<void>
}

const ENDLESS = 2 ** 31 - 1

/**
 * An engine over pg-boss (10.4 or newer; 10.4 is the last for Node 20), on PostgreSQL: tasks of many machines.
 *
 * @example
 * const boss = new PgBoss('postgres://localhost/app')
 * boss.on('error', console.error)
 * await boss.start()
 * tasks({ engine: pgBoss(boss) })
 */
export function pgBoss(boss: PgBossInstance, options: PgBossOptions = {}): TaskEngine {
  const { pollMs = 2000 } = options
  const queue = openQueue(boss, options)
  let delivery: Delivery | undefined

  return {
    async add(ref, { ttlMs }) {
      await queue.send({ ref, ttlMs })
      delivery?.look()
    },
    async work(work, options) {
      delivery = createDelivery({ queue, work, pollMs, ...options })
      delivery.look()
    },
    close: async () => delivery?.close(),
  }
}

function openQueue(boss: PgBossInstance, options: PgBossOptions): Queue {
  const { queue: name = 'portcall-tasks', expireSeconds = 60, timeoutMs = 2000 } = options
  let ready: Promise<unknown> | undefined

  const prepare = async (): Promise<void> => {
    if (!(await boss.getQueue(name))) await boss.createQueue(name, { name })
  }
  const ask = <T>(question: () => Promise<T>): Promise<T> => {
    ready ??= despiteDeadlocks(prepare).catch((error: unknown) => {
      ready = undefined
      throw error
    })
    const answer = ready.then(() => despiteDeadlocks(question))
    return answerOf('pg-boss', answer, timeoutMs)
  }
  return {
    async send(parcel) {
      const { ttlMs, pauseMs = 0 } = parcel
      const kept = {
        expireInSeconds: expireSeconds,
        retryLimit: ENDLESS,
        retryDelay: 0,
        retentionSeconds: Math.ceil(ttlMs / 1000),
      }
      const id = await ask(() => boss.send(name, parcel, { ...kept, startAfter: pauseMs / 1000 }))
      if (id === null) throw new StoreUnavailable(`pg-boss has no queue ${name} any more`)
    },
    fetch: (batchSize) => ask(() => boss.fetch(name, { batchSize })),
    complete: async (id) => void (await ask(() => boss.complete(name, id))),
  }
}

const DEADLOCK = '40P01'
const ATTEMPTS = 5

/** Making a queue locks the table that others write to just then: PostgreSQL refuses one of them, who may try again. */
async function despiteDeadlocks<T>(question: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await question()
    } catch (error) {
      const isDeadlock = error instanceof Error && 'code' in error && error.code === DEADLOCK
      if (!isDeadlock || attempt === ATTEMPTS) throw error
      await pause(100 * Math.random())
    }
  }
}

interface DeliveryOptions extends WorkOptions {
  readonly queue: Queue
  readonly work: Work
  readonly pollMs: number
}

interface Delivery {
  look(): void
  /** Begins with nothing more; resolves when all that was begun is settled. */
  close(): Promise<void>
}

function createDelivery({ queue, work, pollMs, concurrency, onError }: DeliveryOptions): Delivery {
  const busy = new Map<string, Promise<void>>()
  let closed = false

  const outcomeOf = (ref: string): ReturnType<Work> =>
    work(ref).catch((error: unknown) => {
      onError(error)
      return 'later'
    })
  /** First it is on its way again, then it is done here: what fails in between is delivered twice. */
  const settle = async ({ id, data }: PgBossJob): Promise<void> => {
    if (closed) await queue.send(data)
    else if ((await outcomeOf(data.ref)) === 'later') await queue.send({ ...data, pauseMs: nextPause(data.pauseMs) })
    await queue.complete(id)
  }
  const begin = (job: PgBossJob): void => {
    // What has expired while its work goes on is ours again.
    if (busy.has(job.id)) return
    const over = (): void => {
      const wasFull = busy.size >= concurrency
      busy.delete(job.id)
      if (wasFull) lookout.look()
    }
    busy.set(job.id, settle(job).catch(onError).finally(over))
  }
  const lookThrough = async (): Promise<void> => {
    while (!closed && busy.size < concurrency) {
      const free = concurrency - busy.size
      const jobs = await queue.fetch(free)
      for (const job of jobs) begin(job)
      if (jobs.length < free) return
    }
  }
  const lookout = createLookout({ pollMs, lookThrough, onError })
  return {
    look: lookout.look,
    async close() {
      closed = true
      await lookout.close()
      await Promise.all(busy.values())
    },
  }
}
