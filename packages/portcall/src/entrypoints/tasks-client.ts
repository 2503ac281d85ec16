/** The tasks extension for clients. @module */
export { type ClientTasks, type ClientTasksOptions, tasks } from '../tasks/client/extension.ts'
export { TaskCancelledError, type TaskHandle } from '../tasks/client/handle.ts'
export type { DetailedTask, Task, TaskStatus } from '../tasks/types.ts'
