import { onAbort } from '../../../../util/src/abort.ts'
import { backoffMs } from '../../../../util/src/backoff.ts'
import { interruptibleDelay, MAX_TIMER_MS, raceAbort, unref } from '../../../../util/src/timers.ts'
import { internalError, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { type EventCursor, EventNotification } from '../../protocol/events.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { Call } from '../../server/call.ts'
import type { Announcements } from '../../stores/announcements.ts'
import type { FeedPosition } from './cursor.ts'
import type { FeedEntry } from './feed.ts'
import { type Heartbeat, startHeartbeat } from './heartbeat.ts'
import type { EventLimits } from './limits.ts'
import type { EventReader, ReadItem } from './reader.ts'
import type { Selection } from './selection.ts'
import { createWaiting } from './waiting.ts'

export interface PushStreamOptions {
  readonly reader: EventReader
  readonly announcements: Announcements
  readonly limits: Pick<EventLimits, 'heartbeatIntervalMs' | 'streamTtlMs'>
  /** Reports an error that is hidden from the client, and returns its reference. */
  readonly onError: (error: unknown) => unknown
  /** Returns why the events of a selection cannot be received any more, if that is so. */
  readonly endOf: (selection: Selection) => RpcError | undefined
}

/** An open stream. */
export interface PushStream {
  /** Sends events until the stream ends. */
  run(): Promise<void>
  /** Looks whether the stream must end, and for events. */
  wake(): void
  /** Ends the stream without an error. */
  close(): void
}

/** How often hooks that throw are called for an event before the stream goes on without it. */
const MAX_ATTEMPTS = 5
/** The random part of the time after which a stream ends. */
const JITTER = 0.1
const RETRY = { firstMs: 250, maxMs: 10_000 }

/** Creates the stream of a request. Its events begin at the position. */
export function createPushStream(
  { call, selection, opened }: { call: Call; selection: Selection; opened: { from: FeedPosition; isTruncated: boolean } },
  options: PushStreamOptions,
): PushStream {
  const { reader, announcements, limits, onError, endOf } = options
  const { type } = selection
  const waiting = createWaiting()
  let { from } = opened
  const closing = new AbortController()
  const isClosed = (): boolean => closing.signal.aborted

  const { send, ...heartbeat } = createStreamMessages(call, limits.heartbeatIntervalMs)
  const cursor = () => reader.cursorOf(type, from)
  const sendTrouble = (error: unknown) => send(EventNotification.error, { error: internalError(onError(error)).body() })
  const sendActive = (truncated: boolean) => send(EventNotification.active, { cursor: cursor(), truncated })

  /** Renders an entry. Hooks that throw are called again; then the event is given up, which is a gap. */
  const render = async (entry: FeedEntry): Promise<ReadItem | undefined> => {
    for (let failures = 1; !isClosed(); failures++) {
      try {
        // A hook may never return.
        return await raceAbort(reader.render(selection, entry), closing.signal)
      } catch (error) {
        if (isClosed()) break
        if (error instanceof RpcError) throw error
        await sendTrouble(error)
        if (failures === MAX_ATTEMPTS) break
        await interruptibleDelay(backoffMs(failures - 1, RETRY), closing.signal)
      }
    }
    return undefined
  }
  const sendEntry = async (entry: FeedEntry): Promise<void> => {
    const item = await render(entry)
    if (isClosed()) return
    from = item?.from ?? { side: 'after', position: entry.position }
    if (!item) await sendActive(true)
    else if (item.occurrence) await send(EventNotification.event, { ...item.occurrence, cursor: cursor() })
  }
  /** Sends what is new. Resolves to whether there was anything. */
  const sendNew = async (): Promise<boolean> => {
    const { entries, isTruncated } = await type.feed.read(from)
    if (isTruncated) {
      const [first] = entries
      from = first ? { side: 'before', position: first.position } : await type.feed.end()
      await sendActive(true)
    }
    for (const entry of entries) {
      const end = endOf(selection)
      if (end) throw end
      if (isClosed()) return false
      await sendEntry(entry)
    }
    return entries.length > 0
  }
  /** Sends events until the stream is closed. The store may be unavailable for a while. */
  const sendAll = async (): Promise<void> => {
    let failures = 0
    while (!isClosed()) {
      const end = endOf(selection)
      if (end) throw end
      try {
        if (await sendNew()) continue
        failures = 0
        await waiting.wait()
      } catch (error) {
        if (error instanceof RpcError) throw error
        await sendTrouble(error)
        await interruptibleDelay(backoffMs(failures++, RETRY), closing.signal)
      }
    }
  }
  const close = (): void => {
    closing.abort()
    waiting.wake()
  }

  return {
    async run() {
      const unwatch = announcements.watch(type.feed.key, waiting.wake)
      const unsubscribe = onAbort(call.signal, close)
      // Streams that open together do not end together.
      const ttlMs = Math.min(limits.streamTtlMs, MAX_TIMER_MS) * (1 - JITTER * Math.random())
      const timer = unref(setTimeout(close, ttlMs))
      try {
        await sendActive(opened.isTruncated)
        heartbeat.start(cursor)
        await sendAll()
      } catch (error) {
        const body = error instanceof RpcError ? error.body() : internalError(onError(error)).body()
        if (!isClosed()) await send(EventNotification.terminated, { error: body })
      } finally {
        clearTimeout(timer)
        heartbeat.stop()
        close()
        unwatch()
        unsubscribe()
      }
    },
    wake: waiting.wake,
    close,
  }
}

/** Sends the messages of a stream, with its id, and heartbeats. */
function createStreamMessages(call: Call, intervalMs: number) {
  let heartbeat: Heartbeat | undefined
  const send = (method: string, params: JsonObject): void | Promise<void> => {
    const _meta = { ...(params._meta as JsonObject | undefined), [MetaKey.subscriptionId]: call.requestId }
    const drained = call.notify(method, { ...params, _meta })
    heartbeat?.onSent(drained)
    return drained
  }
  return {
    send,
    start(cursor: () => EventCursor): void {
      heartbeat = startHeartbeat(intervalMs, () => void send(EventNotification.heartbeat, { cursor: cursor() }))
    },
    stop: () => heartbeat?.stop(),
  }
}
