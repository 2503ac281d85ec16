/** Where state lives: three small contracts, and the backend in memory. */
export type { Bus } from './stores/bus.ts'
export { type Log, type LogEntry, UnknownPosition } from './stores/log.ts'
export { type MemoryOptions, memory, type Stores } from './stores/memory.ts'
export type { MemoryBusOptions } from './stores/memory-bus.ts'
export type { MemoryLogOptions } from './stores/memory-log.ts'
export type { MemoryStoreOptions } from './stores/memory-store.ts'
export type { Store, StoreOptions, Swap } from './stores/store.ts'
