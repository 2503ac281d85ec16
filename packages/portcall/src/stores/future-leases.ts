import { setLru } from '../../../util/src/lru.ts'

/** The leases of others that seem to be acquired in the future. */
export interface FutureLeases {
  /** Reports whether a lease is from before a clock was set back: its text says so, and has been the same for as long as it is valid. */
  areOver(key: string, value: string, leaseTtlMs: number): boolean
}

const MAX_SIGHTINGS = 10_000

/** `maxClockSkewMs`: the difference that the clocks of processes that work may have. */
export function createFutureLeases(maxClockSkewMs: number): FutureLeases {
  const sightings = new Map<string, { readonly value: string; readonly since: number }>()
  return {
    areOver(key, value, leaseTtlMs) {
      const { writtenAt, ttlMs = leaseTtlMs } = parseOwner(value)
      const known = sightings.get(key)
      if (!(writtenAt > Date.now() + maxClockSkewMs)) {
        sightings.delete(key)
        return false
      }
      // A process whose clock is ahead writes another text whenever it renews its lease.
      if (known?.value === value) return performance.now() - known.since >= ttlMs
      setLru(sightings, [key, { value, since: performance.now() }], MAX_SIGHTINGS)
      return false
    },
  }
}

/** Returns when the text of a lease was written, by the clock of the process that wrote it, and how long the lease is valid. */
function parseOwner(text: string): { readonly writtenAt: number; readonly ttlMs?: number } {
  const [, ...numbers] = text.split('.').map(Number)
  const [writtenAt = Number.NaN, ttlMs] = numbers.reverse()
  return { writtenAt, ...(ttlMs !== undefined && { ttlMs }) }
}
