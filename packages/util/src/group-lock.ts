import { onAbort } from './abort.ts'

/** Runs tasks of one group at the same time, and tasks of different groups one group after another. */
export interface GroupLock {
  /**
   * Runs a task when no task of another group runs. A task without a group runs alone.
   *
   * @throws the abort reason if the signal is aborted before the task starts; whatever the task throws.
   */
  run<T>(group: unknown, task: () => Promise<T>, signal: AbortSignal): Promise<T>
}

interface Waiter {
  readonly group: unknown
  start(): void
}

/** Creates a lock. Tasks that cannot run at once wait in the order of the calls. */
export function createGroupLock(): GroupLock {
  const waiters: Waiter[] = []
  let running = 0
  let current: unknown

  const canRun = (group: unknown): boolean => running === 0 || (group !== undefined && group === current)
  const enter = (group: unknown): void => {
    running++
    current = group
  }
  const leave = (): void => {
    running--
    while (waiters[0] && canRun(waiters[0].group)) waiters.shift()?.start()
  }
  const wait = (group: unknown, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter: Waiter = {
        group,
        start() {
          unsubscribe()
          enter(group)
          resolve()
        },
      }
      waiters.push(waiter)
      const unsubscribe = onAbort(signal, (reason) => {
        const at = waiters.indexOf(waiter)
        if (at < 0) return
        waiters.splice(at, 1)
        reject(reason)
      })
    })

  return {
    async run(group, task, signal) {
      signal.throwIfAborted()
      if (waiters.length === 0 && canRun(group)) enter(group)
      else await wait(group, signal)
      try {
        return await task()
      } finally {
        leave()
      }
    },
  }
}
