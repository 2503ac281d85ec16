import type { JsonObject } from 'portcall/jsonrpc'
import { delay } from '../../../util/src/timers.ts'
import type { OperationOptions, OperationState } from '../protocol/operations.ts'

export const MAX_REPEATS = 10_000
export const MAX_CONCURRENCY = 64
/** How often counts are reported, because percentiles of all durations take a while. */
const REPORT_INTERVAL_MS = 100

/** Sends one request several times. */
export interface Repetition {
  /** Resolves to the last result. @throws the last error, if every request failed; the reason of the signal. */
  run(once: () => Promise<JsonObject>, signal: AbortSignal): Promise<JsonObject>
}

/** Creates a repetition that reports its counts. */
export function createRepetition(
  { count, perSecond, concurrency = 1 }: NonNullable<OperationOptions['repeat']>,
  onProgress: (repeated: NonNullable<OperationState['repeated']>) => void,
): Repetition {
  const durations: number[] = []
  let [started, succeeded, failed, reportedAt] = [0, 0, 0, 0]
  let last: { readonly result: JsonObject } | undefined
  let lastError: unknown

  const report = (): void => {
    const sorted = [...durations].sort((a, b) => a - b)
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
    onProgress({ succeeded, failed, p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) })
  }
  const runOnce = async (once: () => Promise<JsonObject>): Promise<void> => {
    const startedAt = performance.now()
    try {
      last = { result: await once() }
      succeeded++
    } catch (error) {
      lastError = error
      failed++
    }
    const now = performance.now()
    durations.push(now - startedAt)
    if (now < reportedAt + REPORT_INTERVAL_MS) return
    reportedAt = now
    report()
  }
  return {
    async run(once, signal) {
      const beginning = performance.now()
      const worker = async (): Promise<void> => {
        while (started < count) {
          const index = started++
          const wait = perSecond === undefined ? 0 : beginning + (1000 * index) / perSecond - performance.now()
          if (wait > 0) await delay(wait, signal)
          signal.throwIfAborted()
          await runOnce(once)
        }
      }
      await Promise.all(Array.from({ length: concurrency }, worker)).finally(report)
      signal.throwIfAborted()
      if (!last) throw lastError
      return last.result
    },
  }
}
