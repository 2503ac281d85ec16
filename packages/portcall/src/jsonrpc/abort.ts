import { createRing, type Ring } from './ring.ts'

type Listener = (reason: unknown) => void

/** One who listens, until it has left. */
interface Ear {
  listener: Listener | undefined
}

/** All who listen to one signal. */
interface Listeners {
  readonly ring: Ring<Ear>
  handleEvent(): void
}

const listening = new WeakMap<AbortSignal, Listeners>()

/**
 * Calls back with the reason when a signal is aborted, at once when it is already; what it gives ends that. A program may give one signal to
 * all its calls: it has one listener then and not one for each, of which Node would warn.
 */
export function onAbort(signal: AbortSignal, listener: Listener): () => void {
  if (signal.aborted) {
    listener(signal.reason)
    return () => {}
  }
  const { ring } = listening.get(signal) ?? listen(signal)
  const ear: Ear = { listener }
  const place = ring.add(ear)
  return () => {
    ear.listener = undefined
    place.leave()
    if (ring.empty) unlisten(signal)
  }
}

function listen(signal: AbortSignal): Listeners {
  const ring = createRing<Ear>()
  const listeners: Listeners = {
    ring,
    handleEvent() {
      for (const ear of ring.items()) ear.listener?.(signal.reason)
    },
  }
  signal.addEventListener('abort', listeners)
  listening.set(signal, listeners)
  return listeners
}

function unlisten(signal: AbortSignal): void {
  const listeners = listening.get(signal)
  if (!listeners?.ring.empty) return
  signal.removeEventListener('abort', listeners)
  listening.delete(signal)
}
