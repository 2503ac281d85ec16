/** A response that is ready to be written. */
export interface PendingWrite {
  /** Writes the response. Does nothing if the connection is closed. */
  write(): void
}

/** Decides when complete responses are written. */
export interface WriteBatcher {
  add(response: PendingWrite): void
  /** Writes all pending responses. */
  flush(): void
}

/** A batch of this size is written without waiting, so that the clients can go on in parallel. */
const MAX_BATCH_SIZE = 32

/**
 * Creates a batcher that writes the responses of one turn of the event loop together. Under load this avoids waking the client for each
 * of them, and switching between user and kernel mode.
 *
 * @param defer calls back when all data that is ready to be read has been read, such as `setImmediate`.
 */
export function createWriteBatcher(defer: (flush: () => void) => unknown): WriteBatcher {
  let pending: PendingWrite[] = []
  const flush = (): void => {
    const responses = pending
    pending = []
    for (const response of responses) response.write()
  }
  return {
    add(response) {
      const count = pending.push(response)
      if (count === MAX_BATCH_SIZE) flush()
      else if (count === 1) defer(flush)
    },
    flush,
  }
}
