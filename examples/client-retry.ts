import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionLostError, HttpStatusError } from 'portcall/client'

/** Runs an idempotent call, and repeats it up to three times if it fails for a reason that may pass. */
export async function withRetries<T>(call: () => Promise<T>, retries = 3, delayMs = 250): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const isTransient = (error instanceof ConnectionLostError || error instanceof HttpStatusError) && error.retryable
    if (!isTransient || retries === 0) throw error
    await sleep(Math.max(delayMs, retryAfterMs(error)))
    return withRetries(call, retries - 1, 2 * delayMs)
  }
}

/** Returns the delay that the server requested, or 0. */
function retryAfterMs(error: unknown): number {
  const seconds = error instanceof HttpStatusError ? Number(error.header('retry-after')) : 0
  return seconds > 0 ? seconds * 1000 : 0
}
