/** An answer whose head is made and whose bytes still have to go out. */
export interface Answer {
  /** Sends the bytes; does nothing when the connection is gone. */
  write(): void
}

/** Where answers go that are made in one piece. */
export interface Outbox {
  put(answer: Answer): void
  /** Sends what waits. */
  flush(): void
}

/** Sends each answer at once. */
export const DIRECT: Outbox = { put: (answer) => answer.write(), flush() {} }

/**
 * Sends the answers of one turn of the event loop together, after all requests of that turn were read. Under load this saves the kernel
 * from waking the other side for each of them, and the processor from changing between our code and the kernel's.
 *
 * @param defer calls back when everything that is ready to be read has been read.
 */
export function createOutbox(defer: (flush: () => void) => unknown): Outbox {
  let waiting: Answer[] = []
  const flush = (): void => {
    const answers = waiting
    waiting = []
    for (const answer of answers) answer.write()
  }
  return {
    put(answer) {
      if (waiting.push(answer) === 1) defer(flush)
    },
    flush,
  }
}
