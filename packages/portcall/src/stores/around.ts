import type { Bus } from './bus.ts'
import type { Log } from './log.ts'
import type { Store } from './store.ts'

/** Runs an operation of a backend and does what belongs around it. `operation` names it, like `log.append`. */
export type Around = <T>(run: () => Promise<T>, operation: string) => Promise<T>

/** The same store, with something around each operation. */
export function aroundStore(store: Store, around: Around): Store {
  return {
    get: (key) => around(() => store.get(key), 'store.get'),
    set: (key, value, options) => around(() => store.set(key, value, options), 'store.set'),
    delete: (key) => around(() => store.delete(key), 'store.delete'),
    swap: (key, change) => around(() => store.swap(key, change), 'store.swap'),
    list: (prefix, options) => around(() => store.list(prefix, options), 'store.list'),
    count: (prefix) => around(() => store.count(prefix), 'store.count'),
  }
}

/** The same log, with something around each operation. */
export function aroundLog(log: Log, around: Around): Log {
  return {
    append: (key, data) => around(() => log.append(key, data), 'log.append'),
    read: (key, after) => around(() => log.read(key, after), 'log.read'),
    delete: (key) => around(() => log.delete(key), 'log.delete'),
  }
}

/** The same bus, with something around each operation. */
export function aroundBus(bus: Bus, around: Around): Bus {
  return {
    publish: (topic, message) => around(() => bus.publish(topic, message), 'bus.publish'),
    subscribe: (topic, onMessage) => around(() => bus.subscribe(topic, onMessage), 'bus.subscribe'),
  }
}
