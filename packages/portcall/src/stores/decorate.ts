import { withTimeout } from '../../../util/src/timers.ts'
import type { Bus } from './bus.ts'
import { StoreUnavailableError } from './errors.ts'
import type { EventLog } from './log.ts'
import type { KeyValueStore } from './store.ts'

/** Runs one operation of a backend with additional behavior. `operation` is its name, such as `log.append`. */
export type OperationDecorator = <T>(run: () => Promise<T>, operation: string) => Promise<T>

/** Returns a store that runs each operation of `store` through the decorator. */
export function decorateStore(store: KeyValueStore, decorate: OperationDecorator): KeyValueStore {
  return {
    get: (key) => decorate(() => store.get(key), 'store.get'),
    set: (key, value, options) => decorate(() => store.set(key, value, options), 'store.set'),
    delete: (key) => decorate(() => store.delete(key), 'store.delete'),
    compareAndSet: (key, change) => decorate(() => store.compareAndSet(key, change), 'store.compareAndSet'),
    list: (prefix, options) => decorate(() => store.list(prefix, options), 'store.list'),
    count: (prefix) => decorate(() => store.count(prefix), 'store.count'),
  }
}

/** Returns a log that runs each operation of `log` through the decorator. */
export function decorateLog(log: EventLog, decorate: OperationDecorator): EventLog {
  return {
    append: (key, data) => decorate(() => log.append(key, data), 'log.append'),
    read: (key, after) => decorate(() => log.read(key, after), 'log.read'),
    delete: (key) => decorate(() => log.delete(key), 'log.delete'),
  }
}

/** Returns a bus that runs each operation of `bus` through the decorator. */
export function decorateBus(bus: Bus, decorate: OperationDecorator): Bus {
  return {
    publish: (topic, message) => decorate(() => bus.publish(topic, message), 'bus.publish'),
    async subscribe(topic, onMessage) {
      let isAbandoned = false
      const subscribe = async (): Promise<() => void> => {
        const unsubscribe = await bus.subscribe(topic, onMessage)
        if (isAbandoned) unsubscribe()
        return unsubscribe
      }
      try {
        return await decorate(subscribe, 'bus.subscribe')
      } catch (error) {
        // If it succeeds after its timeout, nobody would end it.
        isAbandoned = true
        throw error
      }
    },
  }
}

/** Creates a decorator that rejects with `StoreUnavailableError` when an operation takes longer than `ms`. `Infinity` sets no limit. */
export function timeoutDecorator(ms: number): OperationDecorator {
  return (run, operation) =>
    withTimeout(run(), ms, () => new StoreUnavailableError(`${operation} did not complete within ${ms} ms`))
}
