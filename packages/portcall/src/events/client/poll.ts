import { delay } from '../../../../util/src/timers.ts'
import { EventMethod } from '../../protocol/events.ts'
import { readOccurrence } from '../receiver/webhook-content.ts'
import { type EventMode, type EventSession, selectionOf } from './session.ts'

const MIN_POLL_DELAY_MS = 1000
/** A delay of a server that is longer is a mistake, and does not fit into a timer either. */
const MAX_POLL_DELAY_MS = 86_400_000

/** Creates the mode that asks for events again and again. Each attempt is one request. */
export function pollMode(session: EventSession): EventMode {
  const { request, inbox, options, signal } = session
  const { minPollDelayMs = MIN_POLL_DELAY_MS, maxEvents } = options
  return {
    async attempt() {
      const before = inbox.cursor
      const params = { ...selectionOf(session), ...(maxEvents !== undefined && { maxEvents }) }
      const result = await request(EventMethod.poll, params, { signal })
      session.activate()
      const events = Array.isArray(result.events) ? result.events : []
      for (const value of events) {
        const event = readOccurrence(value)
        if (event) void inbox.add({ event })
        else session.onError(new TypeError(`${EventMethod.poll} returned something that is no event`))
      }
      await inbox.add({ cursor: result.cursor, truncated: result.truncated === true })
      // A server that says that there is more, and sends nothing new, is not asked again at once.
      if (result.hasMore === true && inbox.cursor !== before) return
      const asked = typeof result.nextPollMs === 'number' ? result.nextPollMs : 0
      await delay(Math.min(Math.max(minPollDelayMs, asked), MAX_POLL_DELAY_MS), signal)
    },
  }
}
