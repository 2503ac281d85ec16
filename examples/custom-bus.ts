import { EventEmitter } from 'node:events'
import type { Bus } from 'portcall/stores'

/** Creates a bus on an `EventEmitter`. */
export function createEmitterBus(emitter: EventEmitter = new EventEmitter().setMaxListeners(0)): Bus {
  const eventOf = (topic: string): string => `portcall:${topic}`
  return {
    publish: async (topic, message) => queueMicrotask(() => emitter.emit(eventOf(topic), message)),
    async subscribe(topic, onMessage) {
      const listener = (message: string): void => {
        try {
          onMessage(message)
        } catch (error) {
          console.error('A subscriber failed', error)
        }
      }
      emitter.on(eventOf(topic), listener)
      return () => void emitter.off(eventOf(topic), listener)
    },
  }
}
