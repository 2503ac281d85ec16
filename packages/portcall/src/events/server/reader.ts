import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { EventCursor, EventOccurrence } from '../../protocol/events.ts'
import { type FeedPosition, readCursor, writeCursor } from './cursor.ts'
import type { EmittedEvent } from './definition.ts'
import type { CreateEventError } from './errors.ts'
import type { AnyEventHooks, EventTypeEntry } from './event-types.ts'
import type { FeedEntry, StoredEvent } from './feed.ts'
import type { Selection, Selector, Start } from './selection.ts'

/** The position at which events begin. */
export interface OpenedPosition {
  readonly from: FeedPosition
  /** True if events before the position are missing. */
  readonly isTruncated: boolean
}

/** An entry of a feed that was looked at. */
export interface ReadItem {
  /** The event, if the subscriber receives it. */
  readonly occurrence: EventOccurrence | undefined
  /** The position behind the entry. */
  readonly from: FeedPosition
}

/** Reads the events of selections. */
export interface EventReader {
  /** Resolves to the position at which events begin. @throws RpcError `Unsupported` if the cursor is of an earlier version of the type. */
  open(type: EventTypeEntry, start: Start): Promise<OpenedPosition>
  /** Returns what the subscriber receives of an entry. @throws RpcError `Forbidden`; whatever the hooks throw. */
  render(selection: Omit<Selection, 'args'>, entry: FeedEntry): Promise<ReadItem>
  /** Reports without waiting whether a subscriber may receive an entry: false only if it certainly does not. */
  mayReceive(selection: Omit<Selection, 'args'>, entry: FeedEntry): boolean
  /** Returns the cursor that clients get for a position. */
  cursorOf(type: EventTypeEntry, position: FeedPosition): EventCursor
}

export interface EventReaderOptions {
  readonly selector: Pick<Selector, 'authorize'>
  readonly createError: CreateEventError
  readonly now: () => number
}

export function createEventReader({ selector, createError, now }: EventReaderOptions): EventReader {
  return {
    async open(type, { cursor, maxAgeMs }) {
      if (cursor === null || !type.hasReplay) return { from: await type.feed.end(), isTruncated: false }
      const position = readCursor(cursor)
      if (position && position.version !== type.version)
        throw createError('Unsupported', `The events ${type.name} have changed: subscribe again without a cursor`, {
          feature: 'payloadSchema',
          reason: 'schema_changed',
        })
      const { entries, isTruncated } = await type.feed.read(position)
      const maxAge = Math.min(maxAgeMs ?? Infinity, type.definition.retentionMs ?? Infinity)
      const known = isTruncated ? undefined : position
      const { from, isCut } = await skipOld(type, { entries, position: known, since: now() - maxAge })
      return { from, isTruncated: isTruncated || isCut || !position }
    },
    async render({ type, subscriber }, { position, event }) {
      const from: FeedPosition = { side: 'after', position }
      if (!event || !isFor(event, subscriber.principal)) return { occurrence: undefined, from }
      const { match, transform } = type.hooks
      const own = emittedOf(event)
      if (match && !(await match(own, subscriber))) return { occurrence: undefined, from }
      await selector.authorize(type, subscriber)
      const data = transform ? await transform(own, subscriber) : event.data
      if (!isObject(data)) throw new TypeError(`The event type ${type.name}: transform must return an object`)
      return { occurrence: occurrenceOf(type, event, data), from }
    },
    mayReceive({ type, subscriber }, entry) {
      const { event } = entry
      if (!event || !isFor(event, subscriber.principal)) return false
      const { match } = type.hooks
      if (!match) return true
      entry.emitted ??= emittedOf(event)
      return mayMatch(match, entry.emitted, subscriber)
    },
    cursorOf: (type, position) => (type.hasReplay ? writeCursor(type.version, position) : null),
  }
}

interface AgeLimit {
  readonly entries: readonly FeedEntry[]
  /** The position before the entries, if it is known. */
  readonly position: FeedPosition | undefined
  readonly since: number
}

/** Returns the position behind the entries that are too old. */
async function skipOld(type: EventTypeEntry, limit: AgeLimit): Promise<{ from: FeedPosition; isCut: boolean }> {
  const { entries, position, since } = limit
  const at = entries.findIndex(({ event }) => event !== undefined && event.at >= since)
  const old = at === -1 ? entries : entries.slice(0, at)
  const isCut = old.some(({ event }) => event !== undefined)
  const next = at === -1 ? undefined : entries[at]
  if (position && !isCut) return { from: position, isCut }
  return { from: next ? { side: 'before', position: next.position } : await type.feed.end(), isCut }
}

/** Hooks whose answer has to be awaited. They are asked only once for an event. */
const asynchronous = new Set<NonNullable<AnyEventHooks['match']>>()

function mayMatch(
  match: NonNullable<AnyEventHooks['match']>,
  ...[emitted, subscriber]: Parameters<NonNullable<AnyEventHooks['match']>>
): boolean {
  if (asynchronous.size > 0 && asynchronous.has(match)) return true
  try {
    const answer: unknown = match(emitted, subscriber)
    if (!(answer instanceof Promise)) return Boolean(answer)
    asynchronous.add(match)
    answer.catch(() => {})
  } catch {
    // The error is reported where the event is rendered.
  }
  return true
}

/** Returns an event as hooks get it. */
function emittedOf({ id, at, data }: StoredEvent): EmittedEvent {
  return { eventId: id, timestamp: new Date(at), data }
}

/** Reports whether an event is meant for a principal. */
function isFor({ principal }: StoredEvent, subscriber: string | undefined): boolean {
  return principal === undefined || principal === subscriber
}

function occurrenceOf({ name }: EventTypeEntry, { id, at, meta }: StoredEvent, data: JsonObject): EventOccurrence {
  return { eventId: id, name, timestamp: new Date(at).toISOString(), data, ...(meta && { _meta: meta }) }
}
