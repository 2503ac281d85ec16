import type { Middleware } from './exchange.ts'

/** Marks middleware that may answer a request with what it kept of an earlier one. */
const REPLAYS: unique symbol = Symbol('replays')

/** Marks middleware that answers requests with what it kept. A gateway runs it after the policies have allowed a request. */
export function markReplaying(middleware: Middleware): Middleware {
  return Object.assign(middleware, { [REPLAYS]: true })
}

/** Reports whether middleware answers requests with what it kept. */
export function isReplaying(middleware: Middleware): boolean {
  return Object.hasOwn(middleware, REPLAYS)
}
