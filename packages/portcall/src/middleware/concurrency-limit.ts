import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { createTurns, type Turns, type TurnsOptions } from '../../../util/src/turns.ts'
import type { Middleware } from '../jsonrpc/exchange.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { type ConcurrencyGate, createConcurrencySlots } from './concurrency-slots.ts'
import { refuse } from './refusal.ts'
import { createKeyLookup, type RequestSelection, SELECTION_NAMES } from './selection.ts'

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

/** Middleware that limits concurrency. */
export interface ConcurrencyLimit extends Middleware {
  /** The number of requests that wait for their turn in this process: `metrics.queue('calls', () => limit.waiting)`. */
  readonly waiting: number
}

const NAMES: OptionNames<ConcurrencyLimitOptions> = {
  ...SELECTION_NAMES,
  limit: 'number',
  maxQueued: 1,
  queueTimeoutMs: 1,
  store: 'store',
  name: 'text',
}
const ADVICE = { max: 'Use "limit"', maxConcurrent: 'Use "limit"', stores: 'Use "store"' }
const REQUIRED = { limit: 'Pass the number of requests that may run at once' }

/**
 * Creates middleware that limits how many requests of a caller run at once. With `maxQueued`, further requests wait for their turn, in the
 * order in which they arrived. Requests fail while the store fails.
 *
 * @throws RangeError if `limit` is less than 1.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  checkOptions('concurrencyLimit()', options, { names: NAMES, advice: ADVICE, required: REQUIRED })
  const { limit, maxQueued = 0, queueTimeoutMs = 30_000, store, name = 'concurrency-limit' } = options
  if (!(limit >= 1)) throw new RangeError('concurrencyLimit: limit must be at least 1')
  const keyOf = createKeyLookup(options)
  const gate = store
    ? createConcurrencySlots({ store, name, limit, maxQueued, queueTimeoutMs })
    : createConcurrencyQueue({ limit, maxQueued, queueTimeoutMs })

  const middleware: Middleware = async (request, context, next) => {
    const key = keyOf(request, context)
    if (key === undefined) return next(request, context)
    const leave = await gate.enter(key, context)
    if (!leave)
      return refuse(request, { message: `Too many requests are running. The limit is ${limit} at once`, data: { limit } })
    try {
      return await next(request, context)
    } finally {
      await leave()
    }
  }
  return Object.defineProperty(middleware, 'waiting', { get: () => gate.waiting }) as ConcurrencyLimit
}

/** Creates a gate that counts the requests of this process. */
function createConcurrencyQueue(options: TurnsOptions): ConcurrencyGate {
  const turnsOf = new Map<string, Turns>()
  return {
    get waiting() {
      return [...turnsOf.values()].reduce((sum, turns) => sum + turns.waiting, 0)
    },
    async enter(key, context) {
      const turns = turnsOf.get(key) ?? createTurns(options)
      turnsOf.set(key, turns)
      const turn = turns.begin(context)
      if (turn !== true && !(await turn)) return undefined
      return () => {
        turns.end()
        if (turns.isIdle) turnsOf.delete(key)
      }
    },
  }
}
