/** Where state lives: three small contracts, and the backend in memory. */
export type { Bus } from './stores/bus.ts'
export { UnknownPosition, type Log, type LogEntry } from './stores/log.ts'
export { memory, type MemoryOptions, type Stores } from './stores/memory.ts'
export type { Store, StoreOptions } from './stores/store.ts'
