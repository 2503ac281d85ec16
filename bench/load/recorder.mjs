import { cpuSeconds } from '../frame/accounting.mjs'

const MOST_FAULTS = 5

/**
 * Keeps what one run sees: latencies and answers of the times between `start` and `stop`, failures from the first request on. Times are
 * milliseconds of `performance.now()`. CPU is that of the process `pid`, if there is one, with `workers` that of its descendants too.
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
    /** A measured time begins. */
    start() {
      cpuBefore = cpuNow()
      startedAt = performance.now()
    },
    /** It ends. */
    stop() {
      seconds += (performance.now() - startedAt) / 1000
      cpu += cpuNow() - cpuBefore
      startedAt = Number.POSITIVE_INFINITY
    },
    answered(sentAt, now) {
      if (now >= startedAt) latencies.push(now - sentAt)
    },
    /** How many answers there are in the measured times. */
    count: () => latencies.length,
    failed(fault) {
      failed++
      if (faults.length < MOST_FAULTS) faults.push(fault)
    },
    /** Of all measured times together: latencies in milliseconds, CPU in seconds; how many answers were wrong, and how the first of them. */
    sample() {
      const sorted = Float64Array.from(latencies).sort()
      const count = sorted.length
      const at = (share) => sorted[Math.min(count - 1, Math.floor(count * share))] ?? 0
      const cpuPer1000 = (1000 * cpu) / Math.max(1, count)
      return { count, perSecond: count / seconds, p50: at(0.5), p99: at(0.99), cpuPer1000, failed, faults }
    },
  }
}
