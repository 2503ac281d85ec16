import type { Around } from './around.ts'
import { StoreUnavailable } from './unavailable.ts'

/**
 * Settles with an answer, or rejects when that takes too long, by default with `StoreUnavailable`. What the answer is later is not heard of.
 * `Infinity` waits for ever.
 */
export function within<T>(answer: Promise<T>, ms: number, late: () => Error = () => silent(ms)): Promise<T> {
  if (ms === Infinity) return answer
  return new Promise((resolve, reject) => {
    // An answer that came while the process was busy is read after the first timer and before the second.
    let timer = setTimeout(() => {
      timer = setTimeout(() => reject(late()), 5)
    }, ms)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** What makes a backend safe to wait for: each operation is over after so long. */
export function timely(ms: number): Around {
  return (run) => within(run(), ms)
}

function silent(ms: number): StoreUnavailable {
  return new StoreUnavailable(`There was no answer within ${ms} ms`)
}
