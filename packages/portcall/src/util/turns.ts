import { type AbortSource, onAbort } from './abort.ts'

/** Lets a number of tasks run at once. Further ones wait for their turn, in the order in which they came. */
export interface Turns {
  /** Whether no task runs. */
  readonly isIdle: boolean
  /** The number of tasks that wait. */
  readonly waiting: number
  /**
   * Returns true if the task may run now. Otherwise resolves to true when it is its turn, and to false if too many wait or after the timeout.
   * A task that runs has to call `end`.
   *
   * @throws the reason for which a waiting task was aborted.
   */
  begin(source: AbortSource): true | Promise<boolean>
  end(): void
}

export interface TurnsOptions {
  /** The number of tasks that may run at once. */
  readonly limit: number
  /** The number of further tasks that wait. */
  readonly maxQueued: number
  /** How long a task waits, in milliseconds. */
  readonly queueTimeoutMs: number
}

export function createTurns({ limit, maxQueued, queueTimeoutMs }: TurnsOptions): Turns {
  /** Starts a waiting task each, in order. */
  const waiting = new Set<() => void>()
  let running = 0

  const wait = (source: AbortSource): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(start)
        clearTimeout(timer)
        unsubscribe()
      }
      const start = (): void => {
        leave()
        resolve(true)
      }
      const timer = setTimeout(() => {
        leave()
        resolve(false)
      }, queueTimeoutMs)
      waiting.add(start)
      let unsubscribe = (): void => {}
      unsubscribe = onAbort(source, (reason) => {
        leave()
        reject(reason)
      })
    })

  return {
    get isIdle() {
      return running === 0
    },
    get waiting() {
      return waiting.size
    },
    begin(source) {
      if (running >= limit) return waiting.size < maxQueued ? wait(source) : Promise.resolve(false)
      running++
      return true
    },
    /** Hands the place of a task on to the next one. */
    end() {
      const [start] = waiting
      if (start) start()
      else running--
    },
  }
}
