/** How long to wait before the next try, in milliseconds: twice as long each time up to half a minute, and never the same for all. */
export function backoffMs(failures: number): number {
  const most = Math.min(30_000, 250 * 2 ** Math.min(failures, 10))
  return most / 2 + (Math.random() * most) / 2
}

/** Resolves after `ms`, or when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
