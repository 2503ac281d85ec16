import { unref } from '../../../../util/src/timers.ts'

/** Waits for something to do. */
export interface Waiting {
  /** Resolves to true when woken, or was since the last wait, and to false after `ms`. */
  wait(ms: number): Promise<boolean>
  /** Resolves after `ms`, woken or not. */
  pause(ms: number): Promise<void>
  wake(): void
  /** Ends a pause. */
  cancel(): void
}

export function createWaiting(): Waiting {
  let isWoken = false
  let onWake: (() => void) | undefined
  let onCancel: (() => void) | undefined
  return {
    wait(ms) {
      if (isWoken) {
        isWoken = false
        return Promise.resolve(true)
      }
      return new Promise((resolve) => {
        const finish = (woken: boolean): void => {
          clearTimeout(timer)
          onWake = undefined
          isWoken = false
          resolve(woken)
        }
        const timer = unref(setTimeout(finish, ms, false))
        onWake = () => finish(true)
      })
    },
    pause: (ms) =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer)
          onCancel = undefined
          resolve()
        }
        const timer = unref(setTimeout(finish, ms))
        onCancel = finish
      }),
    wake() {
      isWoken = true
      onWake?.()
    },
    cancel: () => onCancel?.(),
  }
}
