import { type StallWatch, watchStalls } from '../../../../util/src/stalls.ts'
import type { TaskRecord } from '../store/record.ts'

/** Warns about stalls of this process while it runs tasks. */
export interface StallReports {
  /** Watches while a task runs. `recordOf` returns its record. Returns a function that ends it. */
  watch(recordOf: () => TaskRecord | undefined): () => void
  /** Describes a stall that has just ended. */
  recent(): string | undefined
}

export interface StallReportOptions {
  readonly leaseTtlMs: number
  readonly onWarning: (message: string) => void
}

/** Stalls of this fraction of the TTL of leases are reported: a lease is renewed three times in its TTL. */
const REPORTED_FRACTION = 1 / 3
const READS_PER_TTL = 15

export function createStallReports({ leaseTtlMs, onWarning }: StallReportOptions): StallReports {
  const watchers = new Set<() => TaskRecord | undefined>()
  let watching: StallWatch | undefined

  const namesOf = (): string => {
    const names = [...watchers].flatMap((recordOf) => recordOf()?.call.params.name ?? [])
    return [...new Set(names)].map((name) => JSON.stringify(name)).join(', ')
  }
  const onStall = (stall: string): void =>
    onWarning(
      `A process that runs tasks (${namesOf()}) could not renew its leases: ${stall}. After ${leaseTtlMs} ms, another process takes its tasks over. Run work that blocks in a worker thread, or raise leaseTtlMs`,
    )
  return {
    watch(recordOf) {
      watchers.add(recordOf)
      watching ??= watchStalls({ intervalMs: leaseTtlMs / READS_PER_TTL, minStallMs: leaseTtlMs * REPORTED_FRACTION, onStall })
      return () => {
        watchers.delete(recordOf)
        if (watchers.size > 0) return
        watching?.close()
        watching = undefined
      }
    },
    recent: () => watching?.recent(leaseTtlMs),
  }
}
