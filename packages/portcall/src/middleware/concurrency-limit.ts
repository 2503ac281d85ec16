import type { Middleware } from '../jsonrpc/exchange.ts'
import { createTurns, type Turns } from '../util/turns.ts'
import { refuse } from './refusal.ts'
import { createKeyLookup, type RequestSelection } from './selection.ts'

/** Options of `concurrencyLimit`. */
export interface ConcurrencyLimitOptions extends RequestSelection {
  /** The number of requests with the same key that may run at once in this process. */
  readonly limit: number
  /** The number of further requests that wait for their turn. Default: 0. */
  readonly maxQueued?: number
  /** How long a request waits for its turn, in milliseconds. Default: 30,000. */
  readonly queueTimeoutMs?: number
}

/**
 * Creates middleware that limits how many requests of a caller run at once. With `maxQueued`, further requests wait for their turn, in the
 * order in which they arrived.
 *
 * @throws RangeError if `limit` is less than 1.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions): Middleware {
  const { limit, maxQueued = 0, queueTimeoutMs = 30_000 } = options
  if (!(limit >= 1)) throw new RangeError('concurrencyLimit: limit must be at least 1')
  const keyOf = createKeyLookup(options)
  const turnsOf = new Map<string, Turns>()

  return async (request, context, next) => {
    const key = keyOf(request, context)
    if (key === undefined) return next(request, context)
    const turns = turnsOf.get(key) ?? createTurns({ limit, maxQueued, queueTimeoutMs })
    turnsOf.set(key, turns)
    const turn = turns.begin(context)
    if (turn !== true && !(await turn))
      return refuse(request, `Too many requests are running. The limit is ${limit} at once`, { limit })
    try {
      return await next(request, context)
    } finally {
      turns.end()
      if (turns.isIdle) turnsOf.delete(key)
    }
  }
}
