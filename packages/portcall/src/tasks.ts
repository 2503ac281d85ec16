/** `portcall/tasks`: work that outlives the request that began it, and the process that does it. */

export { LeaseLost } from './stores/lease.ts'
export type { TaskDefinition, TaskSupport } from './tasks/definition.ts'
export { detach } from './tasks/detach.ts'
export type { AddOptions, TaskEngine, Work, WorkOptions } from './tasks/engine.ts'
export { type TasksOptions, tasks } from './tasks/extension.ts'
export { RecordTooLarge } from './tasks/ledger.ts'
export type { TaskLimits } from './tasks/limits.ts'
export type { Tasks, Whose } from './tasks/operator.ts'
export type { CreateTaskResult, DetailedTask, Task, TaskStatus } from './tasks/types.ts'
