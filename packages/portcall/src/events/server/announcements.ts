import { unref } from '../../../../util/src/timers.ts'
import type { Bus } from '../../stores/bus.ts'
import { type KeptSubscription, keepSubscribed } from '../../stores/keep-subscribed.ts'

/** Tells the processes of a service that there is something new under a key. */
export interface Announcements {
  /** Announces a change to all processes. Never rejects: others find it when they look the next time. */
  announce(key: string): Promise<void>
  /** Calls the listener for each announcement of a key, and at an interval in case one was lost. Returns a function that removes it. */
  watch(key: string, onChange: () => void): () => void
  close(): void
}

export interface AnnouncementsOptions {
  readonly bus: Bus
  readonly topic: string
  readonly intervalMs: number
  readonly onError: (error: unknown) => void
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
        onError(error)
        call(key)
      }),
    watch(key, onChange) {
      listeners.set(key, (listeners.get(key) ?? new Set()).add(onChange))
      subscription ??= keepSubscribed({ bus, topic, onMessage: call, onLate: callAll, onError })
      timer ??= unref(setInterval(callAll, intervalMs))
      return () => {
        const others = listeners.get(key)
        others?.delete(onChange)
        if (others?.size === 0) listeners.delete(key)
        if (listeners.size === 0) stop()
      }
    },
    close() {
      listeners.clear()
      stop()
    },
  }
}
