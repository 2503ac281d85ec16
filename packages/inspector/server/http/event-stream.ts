import type { IncomingMessage, ServerResponse } from 'node:http'
import { encodeEvent, HEARTBEAT } from '../../../portcall/src/transports/http/common/sse-encode.ts'
import { queryOf } from '../../../util/src/request-target.ts'
import type { InspectorBackend } from '../backend.ts'
import type { TimelineEntry } from '../protocol/timeline.ts'
import type { InspectorEvent } from '../protocol.ts'

/** The open event streams. */
export interface EventStreams {
  /** Sends the state, what was missed, and then each event. */
  open(request: IncomingMessage, response: ServerResponse): void
  closeAll(): void
}

const HEARTBEAT_MS = 15_000
const BATCH_SIZE = 500
const MAX_BUFFERED = 64 * 1024 * 1024

/** Creates the event streams of a back end. `onCount` is called when a page opens or closes. */
export function createEventStreams(backend: InspectorBackend, onCount: (count: number) => void): EventStreams {
  const responses = new Set<ServerResponse>()
  return {
    open(request, response) {
      responses.add(response)
      onCount(responses.size)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      const heartbeat = setInterval(() => response.write(HEARTBEAT), HEARTBEAT_MS)
      let unsubscribe = (): void => {}
      response.once('close', () => {
        unsubscribe()
        clearInterval(heartbeat)
        responses.delete(response)
        onCount(responses.size)
      })
      void sendAll(backend, response, positionOf(request)).then((stop) => {
        if (response.destroyed) stop()
        else unsubscribe = stop
      })
    },
    closeAll() {
      for (const response of responses) response.end()
    },
  }
}

/** The last sequence number that the page has seen. */
function positionOf({ headers, url = '' }: IncomingMessage): number {
  const text = headers['last-event-id']?.toString() ?? queryOf(url).get('after') ?? '0'
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}

/** Sends the snapshot and what was missed. Returns a function that ends the live events. */
async function sendAll({ hub, timeline, state }: InspectorBackend, response: ServerResponse, after: number): Promise<() => void> {
  const send = (event: InspectorEvent, seq: number): void => {
    if (response.writableEnded || response.destroyed) return
    if (response.writableLength > MAX_BUFFERED) response.destroy()
    else response.write(encodeEvent({ id: String(seq), data: JSON.stringify(event) }))
  }
  let live: { readonly seq: number; readonly event: InspectorEvent }[] | undefined = []
  const stop = hub.subscribe(({ seq, event }) => {
    if (live) live.push({ seq, event })
    else send(event, seq)
  })
  send({ type: 'snapshot', state: state() }, after)
  const start = after > hub.seq ? 0 : after
  for (const entries of batches(timeline.changedSince(start))) {
    send({ type: 'entries', entries }, after)
    if (response.writableNeedDrain) await Promise.race([once(response, 'drain'), once(response, 'close')])
    if (response.destroyed) break
  }
  const missed = live
  live = undefined
  send({ type: 'ready' }, missed[0] ? missed[0].seq - 1 : hub.seq)
  for (const { seq, event } of missed) send(event, seq)
  return stop
}

function once(response: ServerResponse, event: 'drain' | 'close'): Promise<void> {
  return new Promise((resolve) => response.once(event, () => resolve()))
}

function* batches(entries: Iterable<TimelineEntry>): Iterable<readonly TimelineEntry[]> {
  const all = [...entries]
  for (let at = 0; at < all.length; at += BATCH_SIZE) yield all.slice(at, at + BATCH_SIZE)
}
