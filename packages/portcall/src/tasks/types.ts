/**
 * The shapes of the tasks extension, as they cross the wire.
 * https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md
 */
import type { ErrorBody, JsonObject } from '../jsonrpc/message.ts'
import type { InputRequest } from '../protocol/types.ts'

/** Where a task stands. The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** What is told of every task. */
export interface Task {
  taskId: string
  status: TaskStatus
  statusMessage?: string
  /** ISO 8601. */
  createdAt: string
  /** ISO 8601. */
  lastUpdatedAt: string
  /** How long it is kept, from its creation on; `null` is for ever. */
  ttlMs: number | null
  pollIntervalMs?: number
}

/** A task with what belongs to its status: what `tasks/get` and `notifications/tasks` tell. */
export type DetailedTask = Task &
  (
    | { status: 'working' | 'cancelled' }
    | { status: 'input_required'; inputRequests: { [key: string]: InputRequest } }
    | { status: 'completed'; result: JsonObject }
    | { status: 'failed'; error: ErrorBody }
  )

/** What a call is answered with that became a task. */
export type CreateTaskResult = Task & { resultType: 'task' }

/** Tells whether nothing of a task will change any more. */
export function isFinal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}
