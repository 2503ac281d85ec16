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

/** So many answers leave without waiting for more: the other side has something to do then, while we go on. */
const TOGETHER = 32

/**
 * Sends the answers of one turn of the event loop together, when all requests of that turn were read or when they are many. Under load
 * this saves the kernel from waking the other side for each of them, and the processor from changing between our code and the kernel's.
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
      const count = waiting.push(answer)
      if (count === TOGETHER) flush()
      else if (count === 1) defer(flush)
    },
    flush,
  }
}
