import type { OptionNames } from '../../../../util/src/check-options.ts'
import type { BusOptions } from '../bus.ts'
import { checkStoresOptions, type StoresPartNames } from '../check-stores-options.ts'
import { markProcessLocal } from '../process-local.ts'
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

const NAMES: OptionNames<MemoryStoresOptions> = { store: 'object', log: 'object', bus: 'object', now: 1 }
const PARTS: StoresPartNames<MemoryStoresOptions> = {
  store: { maxEntries: 1, maxBytes: 1, maxTtlMs: 1, whenFull: ['evict', 'refuse'], now: 1 },
  log: { maxEntries: 1, maxBytes: 1, entryTtlMs: 1, maxLogs: 1, maxTotalBytes: 1, now: 1 },
  bus: { maxSubscriptions: 1, onError: 1 },
}

/**
 * Creates stores in the memory of this process, for services of one process and for tests. Their size is limited. They use no timers:
 * expired data is removed by later operations.
 */
export function memoryStores(options: MemoryStoresOptions = {}): Stores {
  checkStoresOptions('memoryStores()', options, { names: NAMES, parts: PARTS })
  const { store, log, bus, now = Date.now } = options
  return markProcessLocal({
    store: createMemoryStore({ now, ...store }),
    log: createMemoryLog({ now, ...log }),
    bus: createMemoryBus(bus),
    close: async () => {},
  })
}
