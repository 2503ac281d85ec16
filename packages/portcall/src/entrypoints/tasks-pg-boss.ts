/** A task queue on pg-boss, with PostgreSQL. @module */
export { type PgBossInstance, type PgBossJob, type PgBossOptions, pgBoss } from '../tasks/queues/pg-boss.ts'
