/** The support of calls of a tool for tasks. `required`: callers that do not support tasks get an error. */
export type TaskSupport = 'optional' | 'required'

/** How calls of a tool become tasks. */
export interface TaskDefinition {
  /** The support of calls of the tool for tasks. */
  readonly support: TaskSupport
  /**
   * When a call becomes a task: at its start, or when its handler calls `await detach(call)`. Input requests before that are sent to the
   * client while it waits for the result. Default: `'start'`.
   */
  readonly createAt?: 'start' | 'detach'
  /** How long the tasks are stored, in milliseconds. Default: the limit `ttlMs`. */
  readonly ttlMs?: number
  /** The poll interval that the tasks suggest to clients, in milliseconds. Default: the limit `pollIntervalMs`. */
  readonly pollIntervalMs?: number
}

/** Normalizes the member `task` of a tool definition. */
export function normalizeTaskDefinition(task: TaskSupport | TaskDefinition | undefined): TaskDefinition | undefined {
  return typeof task === 'string' ? { support: task } : task
}

declare module '../../server/tool-definition-extensions.ts' {
  interface ToolDefinitionExtensions {
    /** The support of calls of the tool for tasks. Ignored unless the server has the extension `tasks()`. */
    task?: TaskSupport | TaskDefinition
  }
}
