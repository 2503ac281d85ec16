/** Thrown by `withinTime`. */
export class StepTimeoutError extends Error {
  override readonly name = 'StepTimeoutError'
}

/** Waits for a promise for a limited time. @throws StepTimeoutError; the reason of the signal. */
export function withinTime<T>(promise: Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(() => reject(new StepTimeoutError(`No answer within ${timeoutMs} ms`))), timeoutMs)
    const onAbort = (): void => finish(() => reject(signal.reason))
    const finish = (settle: () => void): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    )
  })
}
