/** Where state lives: three small contracts, and the backend in memory. */
export type { Bus } from './stores/bus.ts'
export { UnknownPosition, type Log, type LogEntry } from './stores/log.ts'
export type { MemoryBusOptions } from './stores/memory-bus.ts'
export type { MemoryLogOptions } from './stores/memory-log.ts'
export type { MemoryStoreOptions } from './stores/memory-store.ts'
export { memory, type MemoryOptions, type Stores } from './stores/memory.ts'
export type { Store, StoreOptions, Swap } from './stores/store.ts'
