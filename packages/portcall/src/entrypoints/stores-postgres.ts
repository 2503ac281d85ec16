/** Stores in PostgreSQL. @module */
export type { PgConnection, PgPool, PostgresClient, PostgresSource } from '../stores/postgres/driver.ts'
export type { PostgresLogOptions } from '../stores/postgres/log.ts'
export { type PostgresStoresOptions, postgresStores } from '../stores/postgres/postgres.ts'
export type { PostgresKeyValueStoreOptions } from '../stores/postgres/store.ts'
