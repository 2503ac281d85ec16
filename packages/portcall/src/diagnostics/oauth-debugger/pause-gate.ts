import type { AuthStepId } from './types.ts'

/** Holds requests back until a person continues. */
export interface PauseGate {
  /** Resolves when the request may be sent. @throws the reason of the signal. */
  wait(step: AuthStepId): Promise<void>
  /** Lets one request through. */
  next(): void
  /** Lets all requests through from now on. */
  run(): void
}

/** How a gate works. */
export interface PauseGateOptions {
  readonly isPausing: boolean
  readonly signal: AbortSignal
  readonly onPause: (step: AuthStepId) => void
}

/** Creates a gate. */
export function createPauseGate({ isPausing, signal, onPause }: PauseGateOptions): PauseGate {
  let pauses = isPausing
  let release: (() => void) | undefined
  const next = (): void => {
    release?.()
    release = undefined
  }
  return {
    next,
    run() {
      pauses = false
      next()
    },
    wait(step) {
      signal.throwIfAborted()
      if (!pauses) return Promise.resolve()
      return new Promise((resolve, reject) => {
        release = resolve
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        onPause(step)
      })
    },
  }
}
