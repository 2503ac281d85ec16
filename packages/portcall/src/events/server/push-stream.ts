import { onAbort } from '../../../../util/src/abort.ts'
import { backoffMs } from '../../../../util/src/backoff.ts'
import { unref } from '../../../../util/src/timers.ts'
import { internalError, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { EventNotification } from '../../protocol/events.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { Call } from '../../server/call.ts'
import type { Announcements } from './announcements.ts'
import type { FeedPosition } from './cursor.ts'
import type { FeedEntry } from './feed.ts'
import type { EventLimits } from './limits.ts'
import type { EventReader, ReadItem } from './reader.ts'
import type { Selection } from './selection.ts'

export interface PushStreamOptions {
  readonly reader: EventReader
  readonly announcements: Announcements
  readonly limits: Pick<EventLimits, 'heartbeatIntervalMs'>
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
  let isClosed = false
  let isEnding = false

  const send = (method: string, params: JsonObject): void | Promise<void> => {
    const _meta = { ...(params._meta as JsonObject | undefined), [MetaKey.subscriptionId]: call.requestId }
    return call.notify(method, { ...params, _meta })
  }
  const cursor = () => reader.cursorOf(type, from)
  const sendActive = (truncated: boolean) => send(EventNotification.active, { cursor: cursor(), truncated })

  /** Renders an entry. Hooks that throw are called again; then the event is given up, which is a gap. */
  const render = async (entry: FeedEntry): Promise<ReadItem | undefined> => {
    for (let failures = 1; !isClosed; failures++) {
      try {
        return await reader.render(selection, entry)
      } catch (error) {
        if (error instanceof RpcError) throw error
        const { code, message } = internalError(onError(error))
        await send(EventNotification.error, { error: { code, message } })
        if (failures === MAX_ATTEMPTS) break
        await waiting.pause(backoffMs(failures - 1, RETRY))
      }
    }
    return undefined
  }
  const sendEntry = async (entry: FeedEntry): Promise<void> => {
    const item = await render(entry)
    if (isClosed) return
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
      if (isClosed) return false
      await sendEntry(entry)
    }
    return entries.length > 0
  }
  /** Sends events and heartbeats until the stream is closed. The store may be unavailable for a while. */
  const sendAll = async (): Promise<void> => {
    let failures = 0
    while (!isClosed) {
      const end = endOf(selection)
      if (end) throw end
      try {
        if (await sendNew()) continue
        failures = 0
        if (!(await waiting.wait(limits.heartbeatIntervalMs)) && !isClosed)
          await send(EventNotification.heartbeat, { cursor: cursor() })
      } catch (error) {
        if (error instanceof RpcError) throw error
        const { code, message } = internalError(onError(error))
        await send(EventNotification.error, { error: { code, message } })
        await waiting.pause(backoffMs(failures++, RETRY))
      }
    }
  }
  const stop = (): void => {
    isClosed = true
    waiting.wake()
    waiting.cancel()
  }

  return {
    async run() {
      const unwatch = announcements.watch(type.feed.key, waiting.wake)
      const unsubscribe = onAbort(call.signal, stop)
      try {
        await sendActive(opened.isTruncated)
        if (!isEnding) await sendAll()
      } catch (error) {
        const body = error instanceof RpcError ? error.body() : internalError(onError(error)).body()
        if (!isClosed) await send(EventNotification.terminated, { error: body })
      } finally {
        stop()
        unwatch()
        unsubscribe()
      }
    },
    wake: waiting.wake,
    close() {
      isEnding = true
      stop()
    },
  }
}

/** Waits for something to do. */
interface Waiting {
  /** Resolves to true when woken, or was since the last wait, and to false after `ms`. */
  wait(ms: number): Promise<boolean>
  /** Resolves after `ms`, woken or not. */
  pause(ms: number): Promise<void>
  wake(): void
  /** Ends a pause. */
  cancel(): void
}

function createWaiting(): Waiting {
  let isWoken = false
  let onWake: (() => void) | undefined
  let onCancel: (() => void) | undefined
  return {
    wait(ms) {
      if (isWoken) {
        isWoken = false
        return Promise.resolve(true)
      }
      return new Promise((resolve) => {
        const finish = (woken: boolean): void => {
          clearTimeout(timer)
          onWake = undefined
          isWoken = false
          resolve(woken)
        }
        const timer = unref(setTimeout(finish, ms, false))
        onWake = () => finish(true)
      })
    },
    pause: (ms) =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer)
          onCancel = undefined
          resolve()
        }
        const timer = unref(setTimeout(finish, ms))
        onCancel = finish
      }),
    wake() {
      isWoken = true
      onWake?.()
    },
    cancel: () => onCancel?.(),
  }
}
