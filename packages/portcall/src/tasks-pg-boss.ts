/** `portcall/tasks/pg-boss`: an engine for tasks over pg-boss, on PostgreSQL. */
export { type PgBossInstance, type PgBossJob, type PgBossOptions, pgBoss } from './tasks/pg-boss.ts'
