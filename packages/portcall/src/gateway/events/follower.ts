import { LazyAbort } from '../../../../util/src/abort.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { Notification } from '../../jsonrpc/message.ts'

/** A caller that receives the messages of a stream. */
export interface Follower {
  /** Sends a message. A caller that does not read them is left. */
  send(notification: Notification): void
  /** Ends the stream of the caller with a result. */
  end(): void
  /** Ends the request of the caller with an error. */
  fail(error: unknown): void
  /** Resolves at the end. @throws the error. */
  readonly ended: Promise<void>
  /** Aborted at the end. */
  readonly lifetime: LazyAbort
}

/**
 * So many messages may wait until a caller reads them, of so many characters unless it is a single one. Then its stream ends, and it opens another one at
 * its position.
 */
const MAX_UNREAD = 1000
const MAX_UNREAD_LENGTH = 1024 * 1024

/** The lengths of messages, which many callers receive. */
const lengths = new WeakMap<Notification, number>()

function lengthOf(message: Notification): number {
  const length = lengths.get(message) ?? JSON.stringify(message).length
  lengths.set(message, length)
  return length
}

/** Creates the follower of a request. */
export function createFollower(context: Pick<ExchangeContext, 'notify'>): Follower {
  const lifetime = new LazyAbort()
  let unread = 0
  let unreadLength = 0
  let settle!: (error?: unknown) => void
  const ended = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error))
  })
  const finish = (error?: unknown): void => {
    if (lifetime.aborted) return
    lifetime.abort(error)
    settle(error)
  }
  return {
    send(notification) {
      if (lifetime.aborted) return
      const drained = context.notify(notification)
      if (!drained) return
      const length = lengthOf(notification)
      unread++
      unreadLength += length
      const onRead = (): void => {
        unread--
        unreadLength -= length
      }
      drained.then(onRead, () => finish())
      if (unread > MAX_UNREAD || (unread > 1 && unreadLength > MAX_UNREAD_LENGTH)) finish()
    },
    end: () => finish(),
    fail: finish,
    ended,
    lifetime,
  }
}
