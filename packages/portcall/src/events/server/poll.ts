import type { JsonObject } from '../../jsonrpc/message.ts'
import type { EventOccurrence, PollEventsResult } from '../../protocol/events.ts'
import type { Call } from '../../server/call.ts'
import type { FeedPosition } from './cursor.ts'
import type { EventLimits } from './limits.ts'
import type { EventReader } from './reader.ts'
import { readAmount, readStart, type Selector } from './selection.ts'

/** A poll looks at this many entries for each event that it may return, so that a filter cannot make it last for ever. */
const ENTRIES_PER_EVENT = 10

export interface PollOptions {
  readonly selector: Selector
  readonly reader: EventReader
  readonly limits: Pick<EventLimits, 'maxPollEvents' | 'pollIntervalMs'>
}

/** Creates the handler of `events/poll`. */
export function createPollHandler({ selector, reader, limits }: PollOptions) {
  return async (params: JsonObject, call: Call): Promise<PollEventsResult> => {
    const { maxPollEvents, pollIntervalMs: nextPollMs } = limits
    const start = readStart(params)
    const wanted = readAmount('maxEvents', params.maxEvents) ?? maxPollEvents
    const maxEvents = Math.max(1, Math.min(maxPollEvents, Math.floor(wanted)))
    const selection = await selector.select(params, call, 'poll')
    const { type } = selection
    const { from, isTruncated: truncated } = await reader.open(type, start)
    if (start.cursor === null) return { events: [], cursor: reader.cursorOf(type, from), truncated, hasMore: false, nextPollMs }
    const { entries } = await type.feed.read(from)
    const events: EventOccurrence[] = []
    let position: FeedPosition = from
    let seen = 0
    for (const entry of entries.slice(0, maxEvents * ENTRIES_PER_EVENT)) {
      if (events.length === maxEvents) break
      const item = await reader.render(selection, entry)
      if (item.occurrence) events.push(item.occurrence)
      position = item.from
      seen++
    }
    return { events, cursor: reader.cursorOf(type, position), truncated, hasMore: seen < entries.length, nextPollMs }
  }
}
