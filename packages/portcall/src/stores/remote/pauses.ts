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
