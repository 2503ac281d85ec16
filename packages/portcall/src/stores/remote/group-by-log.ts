/** A change of a log: an entry to append, or without `data` its deletion. */
export interface LogChange {
  readonly key: string
  readonly data?: string | undefined
}

/** Consecutive changes of one log: entries to append, or no entries for its deletion. */
export interface LogChangeGroup {
  readonly key: string
  /** The indexes of the changes in the batch. */
  readonly indexes: number[]
  readonly entries: string[]
}

/** Groups the changes of a batch by log. A deletion ends the group of its log. */
export function groupByLog(batch: readonly LogChange[]): LogChangeGroup[] {
  const groups: LogChangeGroup[] = []
  const openGroups = new Map<string, LogChangeGroup>()
  for (const [index, { key, data }] of batch.entries()) {
    const openGroup = data === undefined ? undefined : openGroups.get(key)
    const group = openGroup ?? { key, indexes: [], entries: [] }
    if (!openGroup) groups.push(group)
    group.indexes.push(index)
    if (data === undefined) openGroups.delete(key)
    else {
      group.entries.push(data)
      openGroups.set(key, group)
    }
  }
  return groups
}
