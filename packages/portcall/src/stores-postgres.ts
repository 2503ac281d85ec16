/** State in PostgreSQL. */
export type { PostgresBusOptions } from './stores/postgres/bus.ts'
export type { PgConnection, PgPool, PostgresClient, PostgresSource } from './stores/postgres/client.ts'
export type { PostgresLogOptions } from './stores/postgres/log.ts'
export { type PostgresOptions, postgres } from './stores/postgres/postgres.ts'
export type { PostgresStoreOptions } from './stores/postgres/store.ts'
