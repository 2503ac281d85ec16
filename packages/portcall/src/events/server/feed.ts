import type { JsonObject } from '../../jsonrpc/message.ts'
import { type EventLog, type LogEntry, UnknownPositionError } from '../../stores/log.ts'
import type { FeedPosition } from './cursor.ts'

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
  /** Resolves to all entries from a position on; those that remain if it is unknown; all without one. */
  read(from: FeedPosition | undefined): Promise<FeedSlice>
}

/** Recent entries are kept in memory, so that the streams of a process read each event once. */
const MAX_CACHED = 1000

/** Creates the feed of the events with a key. */
export function createEventFeed(log: EventLog, key: string): EventFeed {
  let cached: readonly FeedEntry[] = []
  let indexes = new Map<string, number>()
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined

  const setCached = (entries: readonly FeedEntry[]): void => {
    cached = entries.slice(-MAX_CACHED)
    indexes = new Map(cached.map(({ position }, index) => [position, index]))
  }
  /** Reads what is new. Entries that follow unknown ones replace those that are kept. */
  const readNew = async (): Promise<void> => {
    const last = cached.at(-1)?.position
    const fresh = last === undefined ? undefined : await readAfter(log, key, last)
    if (fresh?.length === 0) return
    setCached(fresh ? [...cached, ...fresh.map(parseEntry)] : (await log.read(key)).map(parseEntry))
  }
  /** Resolves when everything is read that was appended before the call. */
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
  const readFrom = async ({ side, position }: FeedPosition): Promise<readonly FeedEntry[] | undefined> => {
    const index = indexes.get(position)
    if (index !== undefined) return cached.slice(side === 'after' ? index + 1 : index)
    if (side === 'after') return (await readAfter(log, key, position))?.map(parseEntry)
    const all = await readAll()
    const at = all.findIndex((entry) => entry.position === position)
    return at === -1 ? undefined : all.slice(at)
  }

  return {
    key,
    append: async (event) => void (await log.append(key, JSON.stringify(event))),
    async end() {
      await refresh()
      const last = cached.at(-1)
      // An empty log has no position: one that is trimmed would be mistaken for it.
      return { side: 'after', position: last?.position ?? (await log.append(key, MARKER)) }
    },
    async read(from) {
      await refresh()
      const entries = from && (await readFrom(from))
      return { entries: entries ?? (await readAll()), isTruncated: from !== undefined && !entries }
    },
  }
}

const MARKER = '{}'

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
