/** The interfaces of storage backends, and the backend in memory. @module */
export type { Bus, BusOptions } from '../stores/bus.ts'
export { StoreFullError, StoreUnavailableError } from '../stores/errors.ts'
export { type EventLog, type LogEntry, UnknownPositionError } from '../stores/log.ts'
export type { MemoryLogOptions } from '../stores/memory/log.ts'
export { type MemoryStoresOptions, memoryStores } from '../stores/memory/memory.ts'
export type { MemoryKeyValueStoreOptions } from '../stores/memory/store.ts'
export type { CompareAndSet, KeyListOptions, KeyValueStore, SetOptions } from '../stores/store.ts'
export type { Stores } from '../stores/stores.ts'
