import { EVENTUALLY_TIMEOUT_MS } from '../../../packages/portcall/test-kit/eventually.ts'

/** Waits for some milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

/** The factor by which operations may exceed their usual time: a machine may be slow, or stall for seconds. */
const SLOWER = 10

/** Settles like `promise`, or rejects when it takes far longer than the usual number of milliseconds. */
export async function within<T>(usual: number, promise: Promise<T>, what = 'it'): Promise<T> {
  const ms = Math.min(Math.max(SLOWER * usual, 5000), 60_000)
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits until a condition holds; rejects when it takes too long. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const start = performance.now()
  while (!(await condition())) {
    const passed = performance.now() - start
    if (passed > EVENTUALLY_TIMEOUT_MS) throw new Error(`${what} did not come within ${EVENTUALLY_TIMEOUT_MS} ms`)
    await sleep(passed < 100 ? 2 : 20)
  }
}

/** Runs a function and returns how many milliseconds it took. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

export const MIB = 1024 * 1024
