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
 */
export function createWriteBatcher(defer: (flush: () => void) => unknown): WriteBatcher {
  let pending: PendingWrite[] = []
  const flush = (): void => {
    const messages = pending
    pending = []
    for (const message of messages) message.write()
  }
  return {
    add(message) {
      const count = pending.push(message)
      if (count === MAX_BATCH_SIZE) flush()
      else if (count === 1) defer(flush)
    },
    flush,
  }
}
