/**
 * The types of the tasks extension on the wire.
 * https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md
 */
import type { ErrorBody, JsonObject } from '../jsonrpc/message.ts'
import type { InputRequest } from '../protocol/input-types.ts'

/** The status of a task. The last three are terminal. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** The members that every task has. */
export interface Task {
  /** Identifies the task on its server. */
  taskId: string
  /** The current status. */
  status: TaskStatus
  /** A description of the status, for display. */
  statusMessage?: string
  /** ISO 8601. */
  createdAt: string
  /** ISO 8601. */
  lastUpdatedAt: string
  /** How long the task is stored, from its creation; `null` means forever. */
  ttlMs: number | null
  /** How often to ask for the status, in milliseconds. */
  pollIntervalMs?: number
}

/** A task with the members of its status, as in the results of `tasks/get` and in `notifications/tasks`. */
export type DetailedTask = Task &
  (
    | { status: 'working' | 'cancelled' }
    /** The task waits for responses to these input requests. */
    | { status: 'input_required'; inputRequests: { [key: string]: InputRequest } }
    /** The result of the call. */
    | { status: 'completed'; result: JsonObject }
    /** The JSON-RPC error of the call. */
    | { status: 'failed'; error: ErrorBody }
  )

/** The result of a call that became a task. */
export type CreateTaskResult = Task & { resultType: 'task' }

/** Reports whether a task with this status cannot change any more. */
export function isTerminalStatus(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}
