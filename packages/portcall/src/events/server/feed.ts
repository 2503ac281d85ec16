import type { JsonObject } from '../../jsonrpc/message.ts'
import { type EventLog, type LogEntry, UnknownPositionError } from '../../stores/log.ts'
import type { FeedPosition } from './cursor.ts'
import type { EmittedEvent } from './definition.ts'

/** An event as the log stores it. */
export interface StoredEvent {
  /** The `eventId`. */
  readonly id: string
  /** When it happened, in milliseconds since 1970. */
  readonly at: number
  readonly data: JsonObject
  /** The only principal that may receive it. Absent: everyone. */
  readonly principal?: string
  readonly meta?: JsonObject
}

/** An entry of the log. It has no event if it only marks a position. */
export interface FeedEntry {
  readonly position: string
  readonly event: StoredEvent | undefined
  /** The event as hooks get it, once one was asked about it for all subscribers. */
  emitted?: EmittedEvent
}

/** The entries of a feed from a position on. */
export interface FeedSlice {
  readonly entries: readonly FeedEntry[]
  /** True if the position is unknown, so that entries before these may be missing. */
  readonly isTruncated: boolean
}

/** The events of one type, in the log that all processes of a service share. */
export interface EventFeed {
  /** The key of the log, which also announces events on the bus. */
  readonly key: string
  append(event: StoredEvent): Promise<void>
  /** Resolves to the position behind all events. */
  end(): Promise<FeedPosition>
  /** Resolves when everything has been read that was appended before the call. */
  refresh(): Promise<void>
  /** Returns the entries from a position on, as far as they have been read; `undefined` if the position is not one of the recent ones. */
  recent(from: FeedPosition): readonly FeedEntry[] | undefined
  /** Resolves to all entries from a position on; those that remain if it is unknown; all without one. */
  read(from: FeedPosition | undefined): Promise<FeedSlice>
}

/** Recent entries are kept in memory, so that the streams and subscriptions of a process read each event once. */
const MAX_CACHED = 10_000
const MAX_CACHED_LENGTH = 4 * 1024 * 1024

/** Creates the feed of the events with a key. */
export function createEventFeed(log: EventLog, key: string): EventFeed {
  const cache = createEntryCache()
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined

  /** Reads what is new. Entries that follow unknown ones replace those that are kept. */
  const readNew = async (): Promise<void> => {
    const { last } = cache
    const fresh = last === undefined ? undefined : await readAfter(log, key, last)
    if (!fresh) cache.clear()
    cache.add(fresh ?? (await log.read(key)))
  }
  const refresh = (): Promise<void> => {
    if (!running) {
      running = readNew().finally(() => {
        running = undefined
      })
      return running
    }
    following ??= running
      .catch(() => {})
      .then(() => {
        following = undefined
        return refresh()
      })
    return following
  }
  const readAll = async (): Promise<readonly FeedEntry[]> => (await log.read(key)).map(parseEntry)
  const readFrom = async (from: FeedPosition): Promise<readonly FeedEntry[] | undefined> => {
    const known = cache.from(from)
    if (known) return known
    const { side, position } = from
    if (side === 'after') return (await readAfter(log, key, position))?.map(parseEntry)
    const all = await readAll()
    const at = all.findIndex((entry) => entry.position === position)
    return at === -1 ? undefined : all.slice(at)
  }

  return {
    key,
    refresh,
    recent: cache.from,
    append: async (event) => void (await log.append(key, JSON.stringify(event))),
    async end() {
      await refresh()
      const { last } = cache
      // An empty log has no position: one that is trimmed would be mistaken for it.
      return { side: 'after', position: last ?? (await log.append(key, MARKER)) }
    },
    async read(from) {
      await refresh()
      const entries = from && (await readFrom(from))
      return { entries: entries ?? (await readAll()), isTruncated: from !== undefined && !entries }
    },
  }
}

const MARKER = '{}'

/** The last entries that were read, by their positions. */
function createEntryCache() {
  let entries: FeedEntry[] = []
  let lengths: number[] = []
  /** The number of entries that were dropped before the first one. */
  let dropped = 0
  let length = 0
  const numbers = new Map<string, number>()

  const trim = (): void => {
    let count = Math.max(0, entries.length - MAX_CACHED)
    for (const each of lengths.slice(0, count)) length -= each
    for (; length > MAX_CACHED_LENGTH && count < entries.length - 1; count++) length -= lengths[count] ?? 0
    for (const { position } of entries.slice(0, count)) numbers.delete(position)
    entries = entries.slice(count)
    lengths = lengths.slice(count)
    dropped += count
  }
  return {
    /** The position of the last entry. */
    get last(): string | undefined {
      return entries.at(-1)?.position
    },
    add(added: readonly LogEntry[]): void {
      for (const entry of added) {
        numbers.set(entry.position, dropped + entries.length)
        entries.push(parseEntry(entry))
        lengths.push(entry.data.length)
        length += entry.data.length
      }
      // Not for each event: the arrays are copied.
      if (entries.length > MAX_CACHED * 1.25 || length > MAX_CACHED_LENGTH * 1.25) trim()
    },
    clear(): void {
      entries = []
      lengths = []
      length = 0
      numbers.clear()
    },
    from({ side, position }: FeedPosition): readonly FeedEntry[] | undefined {
      const number = numbers.get(position)
      return number === undefined ? undefined : entries.slice(number - dropped + (side === 'after' ? 1 : 0))
    },
  }
}

/** Resolves to the entries after a position, or to `undefined` if it is unknown. */
async function readAfter(log: EventLog, key: string, position: string): Promise<readonly LogEntry[] | undefined> {
  try {
    return await log.read(key, position)
  } catch (error) {
    if (error instanceof UnknownPositionError) return undefined
    throw error
  }
}

function parseEntry({ position, data }: LogEntry): FeedEntry {
  return { position, event: data === MARKER ? undefined : (JSON.parse(data) as StoredEvent) }
}
