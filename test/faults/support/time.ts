import { PATIENCE_MS } from '../../../packages/portcall/test-kit/eventually.ts'

/** Waits. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

/** How many times as long as usual all may take: a machine may be slow, or stand still for seconds. */
const SLOWER = 10

/** Resolves like `promise`, or rejects when that takes far longer than the milliseconds it usually takes. */
export async function within<T>(usual: number, promise: Promise<T>, what = 'it'): Promise<T> {
  const ms = Math.min(Math.max(SLOWER * usual, 5000), 60_000)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits until a condition holds, and fails when it does not in time. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const start = performance.now()
  while (!(await condition())) {
    const passed = performance.now() - start
    if (passed > PATIENCE_MS) throw new Error(`${what} did not come within ${PATIENCE_MS} ms`)
    await sleep(passed < 100 ? 2 : 20)
  }
}

/** Runs something and tells how many milliseconds it took. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

export const MIB = 1024 * 1024
