import { ownerEnd } from '../owned-keys.ts'

/**
 * Groups of keys, so that whoever stores much loses its own entries first. Keys with the same text up to their owner are one group, and of keys
 * without an owner those with the same text up to the last slash.
 */
export interface Groups {
  /** The number of keys. */
  readonly size: number
  /** The bytes of all keys. */
  readonly bytes: number
  /** Makes a key the newest of its group, and changes its bytes. */
  write(key: string, change: number): void
  /** Changes the bytes of a key that stays where it is. */
  resize(key: string, change: number): void
  remove(key: string, bytes: number): void
  /** Reports whether there are too many keys or bytes. */
  isExceeded(): boolean
  /** Returns the oldest key of the group that takes most of the limits. */
  oldestOfLargest(): string | undefined
}

/** The keys of one group, the least recently written one first. */
interface Group {
  readonly keys: Set<string>
  bytes: number
}

export function createGroups({ maxKeys, maxBytes }: { readonly maxKeys: number; readonly maxBytes: number }): Groups {
  const groups = new Map<string, Group>()
  /** The key that was written last, which is the newest of its group. */
  let newest: { readonly key: string; readonly group: Group } | undefined
  let size = 0
  let bytes = 0
  const sizeOf = (group: Group): number => Math.max(group.keys.size / maxKeys, group.bytes / maxBytes)
  const change = (group: Group, by: number): void => {
    bytes += by
    group.bytes += by
  }
  return {
    get size() {
      return size
    },
    get bytes() {
      return bytes
    },
    write(key, by) {
      if (key === newest?.key) return change(newest.group, by)
      const name = groupOf(key)
      const group = groups.get(name) ?? { keys: new Set(), bytes: 0 }
      groups.set(name, group)
      if (!group.keys.delete(key)) size++
      group.keys.add(key)
      newest = { key, group }
      change(group, by)
    },
    resize(key, by) {
      const group = groups.get(groupOf(key))
      if (group) change(group, by)
    },
    remove(key, removed) {
      const name = groupOf(key)
      const group = groups.get(name)
      if (!group?.keys.delete(key)) return
      if (key === newest?.key) newest = undefined
      change(group, -removed)
      size--
      if (group.keys.size === 0) groups.delete(name)
    },
    isExceeded: () => size > maxKeys || bytes > maxBytes,
    oldestOfLargest() {
      let largest: Group | undefined
      for (const group of groups.values()) if (!largest || sizeOf(group) > sizeOf(largest)) largest = group
      const [oldest] = largest?.keys ?? []
      return oldest
    },
  }
}

/** Returns the group of a key: the start of its text. */
function groupOf(key: string): string {
  return key.slice(0, ownerEnd(key) ?? key.lastIndexOf('/') + 1)
}
