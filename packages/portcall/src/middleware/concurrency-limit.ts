import type { ExchangeContext, Middleware } from '../jsonrpc/exchange.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { onAbort } from '../util/abort.ts'
import { type ConcurrencyGate, createConcurrencySlots } from './concurrency-slots.ts'
import { refuse } from './refusal.ts'
import { createKeyLookup, type RequestSelection } from './selection.ts'

/** Options of `concurrencyLimit`. */
export interface ConcurrencyLimitOptions extends RequestSelection {
  /** The number of requests with the same key that may run at once. */
  readonly limit: number
  /** The number of further requests that wait for their turn in this process. Default: 0. */
  readonly maxQueued?: number
  /** How long a request waits for its turn, in milliseconds. Default: 30,000. */
  readonly queueTimeoutMs?: number
  /**
   * Where running requests are counted. Pass a shared store to apply the limit across processes; what a process that was killed was running
   * counts for 15 more seconds. Default: requests of this process are counted.
   */
  readonly store?: KeyValueStore
  /** Distinguishes this limit from others in the same store. Default: `concurrency-limit`. */
  readonly name?: string
}

/** The requests of one key. */
interface Queue {
  running: number
  /** Starts a waiting request each, in order. */
  readonly waiting: Set<() => void>
}

/**
 * Creates middleware that limits how many requests of a caller run at once. With `maxQueued`, further requests wait for their turn, in the
 * order in which they arrived. Requests fail while the store fails.
 *
 * @throws RangeError if `limit` is less than 1.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions): Middleware {
  const { limit, maxQueued = 0, queueTimeoutMs = 30_000, store, name = 'concurrency-limit' } = options
  if (!(limit >= 1)) throw new RangeError('concurrencyLimit: limit must be at least 1')
  const keyOf = createKeyLookup(options)
  const gate = store
    ? createConcurrencySlots({ store, name, limit, maxQueued, queueTimeoutMs })
    : createConcurrencyQueue({ limit, maxQueued, queueTimeoutMs })

  return async (request, context, next) => {
    const key = keyOf(request, context)
    if (key === undefined) return next(request, context)
    const leave = await gate.enter(key, context)
    if (!leave) return refuse(request, `Too many requests are running. The limit is ${limit} at once`, { limit })
    try {
      return await next(request, context)
    } finally {
      await leave()
    }
  }
}

/** Creates a gate that counts the requests of this process. */
function createConcurrencyQueue({
  limit,
  maxQueued,
  queueTimeoutMs,
}: Required<Pick<ConcurrencyLimitOptions, 'limit' | 'maxQueued' | 'queueTimeoutMs'>>): ConcurrencyGate {
  const queues = new Map<string, Queue>()
  const release = (key: string, queue: Queue): void => {
    const [start] = queue.waiting
    if (start) return start()
    if (--queue.running === 0) queues.delete(key)
  }
  return {
    async enter(key, context) {
      const queue = queues.get(key) ?? { running: 0, waiting: new Set() }
      queues.set(key, queue)
      if (queue.running < limit) queue.running++
      else if (queue.waiting.size >= maxQueued || !(await waitForTurn(queue, context, queueTimeoutMs))) return undefined
      return () => release(key, queue)
    },
  }
}

/** Resolves to true when it is the request's turn, and to false after the timeout. @throws the reason for which the request was aborted. */
function waitForTurn({ waiting }: Queue, context: ExchangeContext, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.delete(start)
      clearTimeout(timer)
      unsubscribe()
    }
    const start = (): void => {
      leave()
      resolve(true)
    }
    const timer = setTimeout(() => {
      leave()
      resolve(false)
    }, timeoutMs)
    waiting.add(start)
    let unsubscribe = (): void => {}
    unsubscribe = onAbort(context, (reason) => {
      leave()
      reject(reason)
    })
  })
}
