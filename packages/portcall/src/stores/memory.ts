import { createMemoryBus, type MemoryBusOptions } from './memory-bus.ts'
import { createMemoryLog, type MemoryLogOptions } from './memory-log.ts'
import { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts'
import type { Stores } from './stores.ts'

/** The bounds of stores in memory, and their clock; docs/limits.md has the defaults. */
export interface MemoryOptions {
  store?: MemoryStoreOptions
  log?: MemoryLogOptions
  bus?: MemoryBusOptions
  /** Milliseconds since 1970. */
  now?: () => number
}

/**
 * The three contracts in the memory of this process: what one process needs, and what tests use. Each is bounded by
 * construction and works without timers: what has expired goes when the next thing is written.
 */
export function memory(options: MemoryOptions = {}): Stores {
  const { store, log, bus, now = Date.now } = options
  return {
    store: createMemoryStore({ now, ...store }),
    log: createMemoryLog({ now, ...log }),
    bus: createMemoryBus(bus),
    close: async () => {},
  }
}
