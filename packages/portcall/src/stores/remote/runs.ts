/** A log is written to, or, without data, deleted. */
export interface LogChange {
  readonly key: string
  readonly data?: string | undefined
}

/** Changes of one log that follow each other: entries, or none when it is deleted. `places` tells where they stood. */
export interface LogRun {
  readonly key: string
  readonly places: number[]
  readonly entries: string[]
}

/** Brings what goes to one log together, up to where it is deleted. */
export function groupByLog(batch: readonly LogChange[]): LogRun[] {
  const runs: LogRun[] = []
  const open = new Map<string, LogRun>()
  for (const [at, { key, data }] of batch.entries()) {
    const known = data === undefined ? undefined : open.get(key)
    const run = known ?? { key, places: [], entries: [] }
    if (!known) runs.push(run)
    run.places.push(at)
    if (data === undefined) open.delete(key)
    else {
      run.entries.push(data)
      open.set(key, run)
    }
  }
  return runs
}
