import { cpuSeconds } from '../harness/accounting.mjs'

const MOST_FAULTS = 5

/**
 * Records one run: latencies and responses between `start` and `stop`, and failures from the first request on. Times are milliseconds of
 * `performance.now()`. CPU is that of the process `pid`, if there is one, and with `workers` of its descendants too.
 */
export function createRecorder({ pid, workers }) {
  const cpuNow = () => (pid ? cpuSeconds(pid, workers) : Number.NaN)
  const latencies = []
  const faults = []
  let failed = 0
  let startedAt = Number.POSITIVE_INFINITY
  let cpuBefore = 0
  let seconds = 0
  let cpu = 0
  return {
    /** Starts a measured period. */
    start() {
      cpuBefore = cpuNow()
      startedAt = performance.now()
    },
    /** Ends it. */
    stop() {
      seconds += (performance.now() - startedAt) / 1000
      cpu += cpuNow() - cpuBefore
      startedAt = Number.POSITIVE_INFINITY
    },
    answered(sentAt, now) {
      if (now >= startedAt) latencies.push(now - sentAt)
    },
    /** The number of responses in the measured periods. */
    count: () => latencies.length,
    failed(fault) {
      failed++
      if (faults.length < MOST_FAULTS) faults.push(fault)
    },
    /** Returns the totals of all measured periods: latencies in milliseconds, CPU in seconds, the number of wrong responses and the first fault. */
    sample() {
      const sorted = Float64Array.from(latencies).sort()
      const count = sorted.length
      const at = (share) => sorted[Math.min(count - 1, Math.floor(count * share))] ?? 0
      const cpuPer1000 = (1000 * cpu) / Math.max(1, count)
      return { count, perSecond: count / seconds, p50: at(0.5), p99: at(0.99), cpuPer1000, failed, faults }
    },
  }
}
