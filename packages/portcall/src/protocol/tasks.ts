/** What more than one room has to know of tasks. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts'

/** The identifier of the extension. https://github.com/modelcontextprotocol/ext-tasks */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/**
 * What a caller wants of tasks who speaks of them in other words than the extension's: said under this key of a request's `_meta` by whoever
 * translates for it. No message can carry it.
 */
export const TASK_WISH: unique symbol = Symbol('task wish')

/** `never`: the caller knows no tasks. `plain`: it knows them and wants none. Else it wants one, to be kept for `ttlMs`. */
export type TaskWish = 'never' | 'plain' | { readonly ttlMs?: number }

/** Whether a tool can be called as a task, under a key that no message shows: for those revisions whose lists say so. */
export const TASK_SUPPORT: unique symbol = Symbol('task support')

/** The key of `_meta` that names the task which a message belongs to, in the revision that has tasks in its core. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task'

/** The task that a message with these params belongs to, in that revision. */
export function relatedTask({ _meta }: JsonObject): string | undefined {
  const related = isObject(_meta) ? _meta[RELATED_TASK] : undefined
  return isObject(related) && typeof related.taskId === 'string' ? related.taskId : undefined
}
