import type { Bus } from '../stores/bus.ts'
import { within } from '../stores/remote/pauses.ts'
import type { Store } from '../stores/store.ts'
import { StoreUnavailable } from '../stores/unavailable.ts'

/** What tasks rest on. */
export interface Ground {
  readonly store: Store
  readonly bus: Bus
}

/** Makes a store and a bus safe to wait for: an operation that is not answered in time has failed. `Infinity` leaves them as they are. */
export function timely(ground: Ground, timeoutMs: number): Ground {
  if (timeoutMs === Infinity) return ground
  const { store, bus } = ground
  const late = (): Error => new StoreUnavailable(`There was no answer within ${timeoutMs} ms`)
  const inTime = <T>(answer: Promise<T>): Promise<T> => within(answer, timeoutMs, late)
  return {
    store: {
      get: (key) => inTime(store.get(key)),
      set: (key, value, options) => inTime(store.set(key, value, options)),
      delete: (key) => inTime(store.delete(key)),
      swap: (key, change) => inTime(store.swap(key, change)),
      list: (prefix, options) => inTime(store.list(prefix, options)),
      count: (prefix) => inTime(store.count(prefix)),
    },
    bus: {
      publish: (topic, message) => inTime(bus.publish(topic, message)),
      subscribe: (topic, onMessage) => inTime(bus.subscribe(topic, onMessage)),
    },
  }
}
