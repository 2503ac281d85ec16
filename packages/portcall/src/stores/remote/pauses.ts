import { unref } from '../../jsonrpc/waiting.ts'

const LONGEST_MS = 5000

/** How long to wait before each further attempt: longer each time, up to 5 s, and never the same for two processes. */
export function createPauses(firstMs: number): () => number {
  let next = firstMs
  return () => {
    const ms = next * (0.5 + Math.random())
    next = Math.min(2 * next, LONGEST_MS)
    return ms
  }
}

/** Resolves after a while, or when the signal is aborted. Does not keep the process alive. */
export function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = unref(setTimeout(finish, ms))
    signal.addEventListener('abort', finish)
    if (signal.aborted) finish()
  })
}

/** Settles with the promise, or rejects with what `late` makes when that takes too long. What the promise does later is not heard of. */
export function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    // An answer that came while the process was busy is read after the first timer and before the second.
    let timer = setTimeout(() => {
      timer = setTimeout(() => reject(late()), 5)
    }, ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
