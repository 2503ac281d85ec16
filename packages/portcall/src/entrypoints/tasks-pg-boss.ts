/** `portcall/tasks/pg-boss`: a task queue on pg-boss, with PostgreSQL. */
export { type PgBossInstance, type PgBossJob, type PgBossOptions, pgBoss } from '../tasks/queues/pg-boss.ts'
