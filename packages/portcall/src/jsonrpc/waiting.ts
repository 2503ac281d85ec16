/** A timer of a runtime that can let it not keep the process alive. */
interface Handle {
  ref(): unknown
  unref(): unknown
}

/** Lets a timer not keep the process alive, on runtimes that know the difference. */
export function unref<T>(timer: T): T {
  if (isHandle(timer)) timer.unref()
  return timer
}

/** Lets a timer keep the process alive again. */
export function ref<T>(timer: T): T {
  if (isHandle(timer)) timer.ref()
  return timer
}

function isHandle(timer: unknown): timer is Handle {
  return typeof timer === 'object' && timer !== null && 'unref' in timer
}

/** Waits for something until a signal is aborted; then rejects with its reason, whatever becomes of the rest. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(
      (value) => {
        signal.removeEventListener('abort', abort)
        resolve(value)
      },
      (error) => {
        signal.removeEventListener('abort', abort)
        reject(error)
      },
    )
  })
}

/** Resolves after `ms`; rejects with the reason of the first signal that is aborted before. */
export function pause(ms: number, ...given: ReadonlyArray<AbortSignal | undefined>): Promise<void> {
  const signals = given.filter((signal) => signal !== undefined)
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', finish)
      const aborted = signals.find((signal) => signal.aborted)
      if (aborted) reject(aborted.reason)
      else resolve()
    }
    const timer = setTimeout(finish, ms)
    for (const signal of signals) signal.addEventListener('abort', finish)
    if (signals.some((signal) => signal.aborted)) finish()
  })
}
