import { unref } from '../jsonrpc/waiting.ts'

/** Tells of the last of many messages, now and then. */
export interface Teller {
  say(message: string | undefined): void
  close(): void
}

/** What cannot be told is left out: the next message says more. */
export function createTeller(everyMs: number, tell: (message: string) => Promise<unknown>): Teller {
  let waiting: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let busy = false
  let closed = false

  const flush = async (): Promise<void> => {
    busy = waiting !== undefined
    if (waiting === undefined || closed) return
    const message = waiting
    waiting = undefined
    await tell(message).catch(() => {})
    if (!closed) timer = unref(setTimeout(flush, everyMs))
  }

  return {
    say(message) {
      if (message === undefined || closed) return
      waiting = message
      if (!busy) void flush()
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
