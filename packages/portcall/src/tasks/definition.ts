/** Whether calls of a tool become tasks: `required` where they cannot be answered in another way. */
export type TaskSupport = 'optional' | 'required'

/** How calls of a tool become tasks. */
export interface TaskDefinition {
  readonly support: TaskSupport
  /**
   * When a call becomes a task: at its start, or where its handler says `await detach(call)`. What is asked before that is asked while the
   * caller waits. Default: `'start'`.
   */
  readonly begins?: 'start' | 'detach'
  /** How long its tasks are kept, in milliseconds. Default: `ttlMs` of the limits. */
  readonly ttlMs?: number
  /** How often clients are told to look, in milliseconds. */
  readonly pollIntervalMs?: number
}

/** What an author says of tasks in the definition of a tool. */
export function readDefinition(task: TaskSupport | TaskDefinition | undefined): TaskDefinition | undefined {
  return typeof task === 'string' ? { support: task } : task
}

declare module '../index.ts' {
  interface ToolExtras {
    /** Whether calls of the tool become tasks. It counts where the server has the extension `tasks()`. */
    task?: TaskSupport | TaskDefinition
  }
}
