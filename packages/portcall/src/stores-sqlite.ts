/** State in a file: the three contracts of `portcall/stores` over SQLite. */
export type { SqliteBusOptions } from './stores/sqlite/bus.ts'
export type { SqliteDatabase, SqliteStatement, SqliteValue } from './stores/sqlite/driver.ts'
export type { SqliteLogOptions } from './stores/sqlite/log.ts'
export { type SqliteOptions, sqlite } from './stores/sqlite/sqlite.ts'
export type { SqliteStoreOptions } from './stores/sqlite/store.ts'
