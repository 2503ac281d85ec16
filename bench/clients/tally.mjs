const SECOND = 1000
const MICROSECONDS = 1e6

/**
 * Counts the calls of one job by the clock. Timers are unreliable here, because calls in memory may never yield to the event loop.
 *
 * @param {{ warmMs: number, ms: number }} job responses in the first `warmMs` do not count
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
    /** Records a response and returns whether there is time for another call. */
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
