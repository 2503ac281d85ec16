import { isString } from '../../../../util/src/strings.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type Notification, notification } from '../../jsonrpc/message.ts'
import { retryDelayOf } from '../../jsonrpc/retryable.ts'
import { type EventCursor, EventNotification, eventErrorName, isFinalEventError } from '../../protocol/events.ts'
import { createBacklog } from './backlog.ts'
import type { Follower } from './follower.ts'
import { createStreamRequests, type EventStreamStart, type RequestEventStream } from './stream-requests.ts'

export interface SharedStreamOptions {
  /** Where the first caller wants to begin. */
  readonly start: EventStreamStart
  readonly request: RequestEventStream
  /** Called when the position has changed. */
  readonly onMoved: (stream: SharedStream) => void
  /** Called when the stream is closed, or has ended. */
  readonly onEnd: (stream: SharedStream) => void
}

/** A stream of a server, whose messages several callers receive. It is opened again when it is lost, until no caller is left. */
export interface SharedStream {
  readonly start: EventStreamStart
  /** The server has accepted the stream. */
  readonly isActive: boolean
  /** True if the stream is not behind: callers without a position may join it. */
  isCurrent: boolean
  /** The position; `null` if the server names none. */
  readonly cursor: EventCursor
  /** Returns the messages after a position, or `undefined` if it is not known. */
  after(cursor: string): readonly Notification[] | undefined
  /** Adds a caller that has received everything up to the position of this stream. */
  add(follower: Follower): void
  /** Adds the callers of another stream whose position is known here, and closes that stream. */
  takeOver(other: SharedStream): void
  /** Closes the stream, and returns the callers that it had. */
  release(): readonly Follower[]
  /** Opens the stream. */
  open(): void
}

const AWAY = new RpcError(ErrorCode.internalError, 'The server of these events cannot be reached. The gateway tries again').body()

export function createSharedStream({ start, request, onMoved, onEnd }: SharedStreamOptions): SharedStream {
  const followers = new Set<Follower>()
  const backlog = createBacklog(start.cursor)
  let isActive = false
  let isClosed = false
  /** Events may be missing: the stream was opened again without a position. */
  let hasGap = false

  const send = (message: Notification): void => {
    for (const follower of followers) follower.send(message)
  }
  const finish = (end: (follower: Follower) => void): void => {
    for (const follower of stream.release()) end(follower)
  }
  const activate = (message: Notification): void => {
    const cursor = cursorOf(message) ?? null
    const truncated = message.params?.truncated === true || hasGap
    hasGap = false
    const shown = truncated ? { ...message, params: { ...message.params, truncated } } : message
    if (truncated) backlog.add(shown, cursor)
    else if (!isActive) backlog.move(cursor)
    if (truncated || !isActive) send(shown)
    isActive = true
  }
  const receive = (message: Notification): void => {
    const { method } = message
    const cursor = cursorOf(message)
    if (method === EventNotification.active) activate(message)
    else send(message)
    if (method === EventNotification.terminated) return finish((follower) => follower.end())
    if (method === EventNotification.event) backlog.add(message, cursor ?? null)
    else if (cursor !== undefined) backlog.move(cursor)
    if (isActive) onMoved(stream)
  }
  /** Decides what follows the end of a request. Returns whether the stream is opened again. */
  const lost = (error: unknown): boolean => {
    if (!isActive) finish((follower) => (error === undefined ? follower.end() : follower.fail(error)))
    else if (error instanceof RpcError && isUnknownCursor(error) && backlog.cursor !== null)
      backlog.add(notification(EventNotification.active), null)
    else if (error instanceof RpcError && retryDelayOf(error) === undefined && isFinalEventError(error)) {
      send(notification(EventNotification.terminated, { error: error.body() }))
      finish((follower) => follower.end())
    } else if (error !== undefined) send(notification(EventNotification.error, { error: AWAY }))
    // What it sends next may be older than a caller that wants to begin now.
    stream.isCurrent = backlog.cursor === null
    return !isClosed
  }
  const requests = createStreamRequests({
    request,
    nextStart() {
      if (!isActive) return start
      hasGap = backlog.cursor === null
      return { cursor: backlog.cursor, maxAgeMs: undefined }
    },
    onMessage: receive,
    onLost: lost,
    // The callers must not take a server that is away for a stream that is lost.
    onWaiting: () => send(notification(EventNotification.heartbeat, { cursor: backlog.cursor })),
  })

  const stream: SharedStream = {
    start,
    isCurrent: start.cursor === null,
    get isActive() {
      return isActive
    },
    get cursor() {
      return backlog.cursor
    },
    after: backlog.after,
    add(follower) {
      followers.add(follower)
      follower.lifetime.onAbort(() => {
        followers.delete(follower)
        if (followers.size === 0) stream.release()
      })
    },
    takeOver(other) {
      const missed = other.cursor === null ? [] : (backlog.after(other.cursor) ?? [])
      stream.isCurrent ||= other.isCurrent
      for (const follower of other.release()) {
        for (const message of missed) follower.send(message)
        stream.add(follower)
      }
    },
    release() {
      const released = [...followers]
      followers.clear()
      if (isClosed) return released
      isClosed = true
      requests.close()
      onEnd(stream)
      return released
    },
    open: requests.open,
  }
  return stream
}

/** Returns the position that a message names; `undefined` if it names none. */
function cursorOf({ params }: Notification): EventCursor | undefined {
  const cursor = params?.cursor
  return isString(cursor) || cursor === null ? cursor : undefined
}

/** Reports whether the server refuses the position alone. */
function isUnknownCursor(error: RpcError): boolean {
  return eventErrorName(error) === 'Unsupported' && isObject(error.data) && error.data.feature === 'cursor'
}
