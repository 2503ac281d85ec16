/** Stores in an SQLite file. @module */
export type { SqliteBusOptions } from '../stores/sqlite/bus.ts'
export type { SqliteDatabase, SqliteStatement, SqliteValue } from '../stores/sqlite/driver.ts'
export type { SqliteLogOptions } from '../stores/sqlite/log.ts'
export { type SqliteStoresOptions, sqliteStores } from '../stores/sqlite/sqlite.ts'
export type { SqliteKeyValueStoreOptions } from '../stores/sqlite/store.ts'
