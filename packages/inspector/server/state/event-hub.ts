import type { InspectorEvent } from '../protocol.ts'

/** An event with its place in the sequence. */
export interface SequencedEvent {
  readonly seq: number
  readonly event: InspectorEvent
}

/** Numbers the events of the inspector and passes them on. */
export interface EventHub {
  /** The number of the last event or change. */
  readonly seq: number
  /** Returns the next number, for a change that is published later. */
  nextSeq(): number
  /** Publishes an event after everything that is pending. */
  publish(event: InspectorEvent): void
  /** Registers what publishes pending changes. It is called before each event. */
  onFlush(flush: () => void): void
  /** Calls the listener for each event from now on. Returns a function that unsubscribes. */
  subscribe(listener: (event: SequencedEvent) => void): () => void
}

/** Creates a hub. Events are delivered at once, in order. */
export function createEventHub(): EventHub {
  const listeners = new Set<(event: SequencedEvent) => void>()
  let seq = 0
  let flush = (): void => {}
  let isFlushing = false

  return {
    get seq() {
      return seq
    },
    nextSeq: () => ++seq,
    publish(event) {
      if (!isFlushing) {
        isFlushing = true
        flush()
        isFlushing = false
      }
      const sequenced = { seq: ++seq, event }
      for (const listener of listeners) listener(sequenced)
    },
    onFlush(listener) {
      flush = listener
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
