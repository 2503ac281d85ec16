import { untilAborted } from '../../jsonrpc/waiting.ts'

/** Lets one piece of work run after the other. @throws the reason of the signal while waiting; what the work throws. */
export type Turns = <T>(run: () => Promise<T>, signal: AbortSignal) => Promise<T>

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return async (run, signal) => {
    const before = last
    let end = (): void => {}
    const own = new Promise<void>((resolve) => (end = resolve))
    last = before.then(() => own)
    try {
      await untilAborted(before, signal)
      return await run()
    } finally {
      end()
    }
  }
}
