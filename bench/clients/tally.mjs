const SECOND = 1000
const MICROSECONDS = 1e6

/**
 * Counts the calls of one job by the clock: no timer can be relied on, for calls in memory may never let go of the event loop.
 *
 * @param {{ warmMs: number, ms: number }} job what is answered in the first `warmMs` does not count
 */
export function createTally({ warmMs, ms }) {
  const startsAt = performance.now() + warmMs
  const endsAt = startsAt + ms
  const latencies = []
  let lastNumber = 0
  let cpuBefore
  let cpu
  return {
    nextNumber: () => ++lastNumber,
    /** A call was answered; tells whether there is time for another. */
    answered(sentAt) {
      const now = performance.now()
      if (now < startsAt) return true
      cpuBefore ??= process.cpuUsage()
      if (now >= endsAt) {
        cpu ??= process.cpuUsage(cpuBefore)
        return false
      }
      latencies.push(now - sentAt)
      return true
    },
    sample() {
      const count = latencies.length
      const sorted = Float64Array.from(latencies).sort()
      const at = (share) => sorted[Math.min(count - 1, Math.floor(count * share))] ?? 0
      const cpuPer1000 = ((cpu.user + cpu.system) / MICROSECONDS / Math.max(1, count)) * SECOND
      return { count, perSecond: (count / ms) * SECOND, p50: at(0.5), p99: at(0.99), cpuPer1000 }
    },
  }
}
