import type { BusOptions } from '../bus.ts'
import type { Stores } from '../stores.ts'
import { createMemoryBus } from './bus.ts'
import { createMemoryLog, type MemoryLogOptions } from './log.ts'
import { createMemoryStore, type MemoryKeyValueStoreOptions } from './store.ts'

/** The limits of stores in memory, and their clock. */
export interface MemoryStoresOptions {
  /** Options of the key-value store. */
  store?: MemoryKeyValueStoreOptions
  /** Options of the event log. */
  log?: MemoryLogOptions
  /** Options of the bus. */
  bus?: BusOptions
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number
}

/**
 * Creates stores in the memory of this process, for services of one process and for tests. Their size is limited. They use no timers:
 * expired data is removed by later operations.
 */
export function memoryStores(options: MemoryStoresOptions = {}): Stores {
  const { store, log, bus, now = Date.now } = options
  return {
    store: createMemoryStore({ now, ...store }),
    log: createMemoryLog({ now, ...log }),
    bus: createMemoryBus(bus),
    close: async () => {},
  }
}
