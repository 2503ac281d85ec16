import { createBackoff } from '../../../util/src/backoff.ts'
import { interruptibleDelay } from '../../../util/src/timers.ts'
import type { Bus } from './bus.ts'

export interface KeepSubscribedOptions {
  readonly bus: Bus
  readonly topic: string
  readonly onMessage: (message: string) => void
  /** Called when the bus was subscribed to after a failure: messages may have been missed. */
  readonly onLate?: (() => void) | undefined
  /** Called with the first failure. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** A subscription that does not depend on whether the bus is available when it begins. */
export interface KeptSubscription {
  /** Resolves when the first attempt to subscribe has succeeded or failed. */
  readonly firstAttempt: Promise<void>
  /** Ends the subscription. Nothing is delivered afterwards. */
  end(): void
}

const RETRY = { firstMs: 100, maxMs: 5000 }

/**
 * Subscribes to a topic, and tries again until it succeeds: a process that starts while its bus is unavailable receives messages as soon as
 * the bus is there. Afterwards the bus itself reconnects.
 */
export function keepSubscribed({ bus, topic, onMessage, onLate, onError }: KeepSubscribedOptions): KeptSubscription {
  const ended = new AbortController()
  const { signal } = ended
  let unsubscribe = (): void => {}

  const subscribe = async (): Promise<void> => {
    const remove = await bus.subscribe(topic, (message) => void (signal.aborted || onMessage(message)))
    unsubscribe = remove
    if (signal.aborted) remove()
  }
  const retry = async (): Promise<void> => {
    const backoff = createBackoff(RETRY)
    for (;;) {
      await interruptibleDelay(backoff.next(), signal)
      if (signal.aborted) return
      const isSubscribed = await subscribe().then(
        () => true,
        () => false,
      )
      if (!isSubscribed) continue
      if (!signal.aborted) onLate?.()
      return
    }
  }
  const firstAttempt = subscribe().catch((error: unknown) => {
    if (signal.aborted) return
    void retry()
    onError?.(error)
  })
  return {
    firstAttempt,
    end() {
      ended.abort()
      unsubscribe()
    },
  }
}
