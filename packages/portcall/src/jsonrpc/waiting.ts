import { onAbort } from './abort.ts'

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
    const ignore = onAbort(signal, reject)
    promise.then(resolve, reject).finally(ignore)
  })
}

/** Resolves after `ms`; rejects with the reason of the first signal that is aborted before. */
export async function pause(ms: number, ...given: ReadonlyArray<AbortSignal | undefined>): Promise<void> {
  const signals = given.filter((signal) => signal !== undefined)
  for (const signal of signals) signal.throwIfAborted()
  let finish!: () => void
  let fail!: (reason: unknown) => void
  const over = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  const timer = setTimeout(finish, ms)
  const ignoring = signals.map((signal) => onAbort(signal, fail))
  try {
    await over
  } finally {
    clearTimeout(timer)
    for (const ignore of ignoring) ignore()
  }
}
