import { untilAborted } from '../../jsonrpc/waiting.ts'

/** Lets many wait for one piece of work. */
export interface Share<T> {
  /** The work that is under way, if there is one: joins it. */
  join(signal: AbortSignal | undefined): Promise<T> | undefined
  /** Begins new work, when there is none under way. Its signal is aborted when nobody waits for it any more. */
  begin(run: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T>
}

interface Work<T> {
  readonly result: Promise<T>
  readonly controller: AbortController
  waiting: number
}

export function createShare<T>(): Share<T> {
  let work: Work<T> | undefined

  const wait = async (current: Work<T>, signal: AbortSignal | undefined): Promise<T> => {
    current.waiting++
    try {
      return await untilAborted(current.result, signal)
    } finally {
      if (--current.waiting === 0 && work === current) {
        current.controller.abort(signal?.reason)
        work = undefined
      }
    }
  }

  return {
    join: (signal) => work && wait(work, signal),
    begin(run, signal) {
      if (work) return wait(work, signal)
      const controller = new AbortController()
      const begun: Work<T> = { result: run(controller.signal), controller, waiting: 0 }
      const end = (): void => {
        if (work === begun) work = undefined
      }
      work = begun
      begun.result.then(end, end)
      return wait(begun, signal)
    },
  }
}
