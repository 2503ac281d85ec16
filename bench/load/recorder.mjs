import { cpuSeconds } from '../frame/accounting.mjs'

const MOST_FAULTS = 5

/**
 * Keeps what one run sees: latencies and answers from `start` on, failures from the first request on. Times are milliseconds of
 * `performance.now()`. CPU is that of the process `pid`, if
 * there is one, with `workers` that of its descendants too.
 */
export function createRecorder({ pid, workers }) {
  const cpuNow = () => (pid ? cpuSeconds(pid, workers) : Number.NaN)
  const latencies = []
  const faults = []
  let failed = 0
  let startedAt = Number.POSITIVE_INFINITY
  let cpuBefore = 0
  return {
    /** The measured time begins. */
    start() {
      cpuBefore = cpuNow()
      startedAt = performance.now()
    },
    answered(sentAt, now) {
      if (now >= startedAt) latencies.push(now - sentAt)
    },
    /** How many answers there are in the measured time. */
    count: () => latencies.length,
    failed(fault) {
      failed++
      if (faults.length < MOST_FAULTS) faults.push(fault)
    },
    /** How many answers were wrong, and what was wrong with the first of them. */
    faults: () => ({ failed, faults }),
    /** The measured time ends; latencies in milliseconds, CPU in seconds. */
    end() {
      const seconds = (performance.now() - startedAt) / 1000
      const cpu = cpuNow() - cpuBefore
      const sorted = Float64Array.from(latencies).sort()
      const count = sorted.length
      const at = (share) => sorted[Math.min(count - 1, Math.floor(count * share))] ?? 0
      return { count, perSecond: count / seconds, p50: at(0.5), p99: at(0.99), cpuPer1000: (1000 * cpu) / Math.max(1, count) }
    },
  }
}
