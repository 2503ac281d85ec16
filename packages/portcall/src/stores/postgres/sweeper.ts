import type { PostgresLink } from './link.ts'

/** What must not be exceeded. */
export interface SweepBounds {
  readonly maxEntries: number
  readonly maxLogs: number
  readonly maxAgeMs: number
}

const EVERY_MS = 30_000

/** Takes out, every 30 seconds while something is written, what has expired and what is too much. The function is to be called at each write. */
export function createSweeper(link: PostgresLink, bounds: SweepBounds): () => void {
  let due = performance.now()
  const sweep = async (): Promise<void> => {
    while ((await link.askPatiently('sweep', bounds)) === true);
  }
  return () => {
    if (performance.now() < due) return
    due = Infinity
    sweep()
      .catch(() => {})
      .finally(() => (due = performance.now() + EVERY_MS))
  }
}
