/** The parts of the tasks extension that the core and the legacy adapter share with it. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts'

/** The id of the extension. https://github.com/modelcontextprotocol/ext-tasks */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/**
 * The key in the `_meta` of a request under which the legacy adapter passes on the task preference of a 2025-11-25 client, which does not use
 * the extension. A symbol cannot appear in a message.
 */
export const TASK_PREFERENCE: unique symbol = Symbol('task preference')

/**
 * `unsupported`: the client does not support tasks. `not-requested`: it does, but did not ask for one. An object asks for a task that is
 * retained for `ttlMs`.
 */
export type TaskPreference = 'unsupported' | 'not-requested' | { readonly ttlMs?: number }

/** The key under which a tool definition states whether the tool can be called as a task, for 2025-11-25, whose tools/list reports it. */
export const TASK_SUPPORT: unique symbol = Symbol('task support')

/** The `_meta` key of 2025-11-25 that names the task a message belongs to. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task'

/** Returns the id of the task that a 2025-11-25 message with these params belongs to. */
export function relatedTaskId({ _meta }: JsonObject): string | undefined {
  const related = isObject(_meta) ? _meta[RELATED_TASK] : undefined
  return isObject(related) && typeof related.taskId === 'string' ? related.taskId : undefined
}
