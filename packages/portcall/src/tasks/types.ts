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
  /** When the task was created, in ISO 8601. */
  createdAt: string
  /** When the task last changed, in ISO 8601. */
  lastUpdatedAt: string
  /** How long the task is stored after its creation, in milliseconds; `null` means forever. */
  ttlMs: number | null
  /** How often to ask for the status, in milliseconds. */
  pollIntervalMs?: number
}

/** A task with the members of its status, as in the results of `tasks/get` and in `notifications/tasks`. */
export type DetailedTask = Task &
  (
    | {
        /** The task is running, or has been cancelled. */
        status: 'working' | 'cancelled'
      }
    | {
        /** The task waits for input. */
        status: 'input_required'
        /** The requests to respond to, by key. */
        inputRequests: { [key: string]: InputRequest }
      }
    | {
        /** The call has returned a result. A tool that failed has one too, with `isError`. */
        status: 'completed'
        /** The result of the call. */
        result: JsonObject
      }
    | {
        /** The call has failed. */
        status: 'failed'
        /** The JSON-RPC error of the call. */
        error: ErrorBody
      }
  )

/** The result of a call that became a task. */
export type CreateTaskResult = Task & {
  /** Distinguishes it from the result of the call. */
  resultType: 'task'
}

/** Reports whether a task with this status cannot change any more. */
export function isTerminalStatus(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}
