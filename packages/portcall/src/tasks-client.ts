/** `portcall/tasks/client`: calls of tools that become tasks, for clients. */
export { type ClientTasks, type ClientTasksOptions, tasks } from './tasks/client.ts'
export { TaskCancelled, type TaskHandle } from './tasks/handle.ts'
export type { DetailedTask, Task, TaskStatus } from './tasks/types.ts'
