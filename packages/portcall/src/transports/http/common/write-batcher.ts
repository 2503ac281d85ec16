/** A request or response that is ready to be written. */
export interface PendingWrite {
  /** Writes it. Does nothing if the connection is closed. */
  write(): void
}

/** Decides when complete requests and responses are written. */
export interface WriteBatcher {
  add(message: PendingWrite): void
  /** Writes all that are pending. */
  flush(): void
}

/** A batch of this size is written without waiting, so that the peers can go on in parallel. */
const MAX_BATCH_SIZE = 32

/**
 * Creates a batcher that writes what one turn of the event loop has produced together. Under load this avoids waking the peer for each
 * message, and switching between user and kernel mode.
 *
 * @param defer calls back when all data that is ready to be read has been read, such as `setImmediate`.
 * @param atOnce writes the first message of a turn without waiting if the turn before had one message. It cannot be withdrawn then.
 */
export function createWriteBatcher(defer: (flush: () => void) => unknown, atOnce?: boolean): WriteBatcher {
  const pending: PendingWrite[] = []
  let count = 0
  let isAlone: boolean | undefined
  const flush = (): void => {
    isAlone = atOnce && count < 2
    count = 0
    for (const message of pending.splice(0)) message.write()
  }
  return {
    add(message) {
      if (++count < 2) {
        defer(flush)
        if (isAlone) return message.write()
      }
      if (pending.push(message) === MAX_BATCH_SIZE) {
        flush()
        // The turn goes on: it needs no other callback, and had more than one message.
        count = 2
      }
    },
    flush,
  }
}
