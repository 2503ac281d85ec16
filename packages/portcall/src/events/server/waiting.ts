/** Waits for something to do. */
export interface Waiting {
  /** Resolves when woken, or at once if that happened since the last wait. */
  wait(): Promise<void>
  wake(): void
}

export function createWaiting(): Waiting {
  let isWoken = false
  let onWake: (() => void) | undefined
  return {
    async wait() {
      if (!isWoken)
        await new Promise<void>((resolve) => {
          onWake = resolve
        })
      isWoken = false
    },
    wake() {
      isWoken = true
      onWake?.()
    },
  }
}
