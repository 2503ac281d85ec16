import { MAX_TIMER_MS, unref } from '../../../util/src/timers.ts'
import type { Bus } from './bus.ts'
import { type KeptSubscription, keepSubscribed } from './keep-subscribed.ts'

/** Tells the processes of a service that there is something new under a key. */
export interface Announcements {
  /** Announces a change to all processes. Never rejects: others find it when they look the next time. */
  announce(key: string): Promise<void>
  /** Calls the listener for each announcement of a key, and when announcements may have been lost. Returns a function that removes it. */
  watch(key: string, onChange: () => void): () => void
  /** Resolves when the first attempt to subscribe to the bus, for what is watched, has succeeded or failed. */
  whenSubscribed(): Promise<void>
  close(): void
}

export interface AnnouncementsOptions {
  readonly bus: Bus
  readonly topic: string
  /** How often all listeners are called in case an announcement was lost. Default: never. */
  readonly intervalMs?: number
  readonly onError?: (error: unknown) => void
}

/** Creates the announcements of a topic. The bus is subscribed to, and the timer runs, while something is watched. */
export function createAnnouncements({ bus, topic, intervalMs, onError }: AnnouncementsOptions): Announcements {
  const listeners = new Map<string, Set<() => void>>()
  let subscription: KeptSubscription | undefined
  let timer: ReturnType<typeof setInterval> | undefined

  const call = (key: string): void => {
    for (const onChange of listeners.get(key) ?? []) onChange()
  }
  const callAll = (): void => {
    for (const key of [...listeners.keys()]) call(key)
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
    subscription?.end()
    subscription = undefined
  }

  return {
    announce: (key) =>
      bus.publish(topic, key).catch((error) => {
        onError?.(error)
        call(key)
      }),
    watch(key, onChange) {
      listeners.set(key, (listeners.get(key) ?? new Set()).add(onChange))
      subscription ??= keepSubscribed({ bus, topic, onMessage: call, onLate: callAll, onError })
      if (intervalMs !== undefined) timer ??= unref(setInterval(callAll, Math.min(intervalMs, MAX_TIMER_MS)))
      return () => {
        const others = listeners.get(key)
        others?.delete(onChange)
        if (others?.size === 0) listeners.delete(key)
        if (listeners.size === 0) stop()
      }
    },
    whenSubscribed: async () => subscription?.firstAttempt,
    close() {
      listeners.clear()
      stop()
    },
  }
}
