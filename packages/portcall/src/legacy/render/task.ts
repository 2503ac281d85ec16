import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** Renders a task of the extension for the revision with tasks in its core. A result with `isError` makes the task a failed one. */
export function renderLegacyTask(task: JsonObject): JsonObject {
  const { taskId, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task
  const errorText = errorTextOf(task)
  const message = statusMessage ?? errorText
  return {
    taskId,
    status: errorText === undefined ? task.status : 'failed',
    ...(message !== undefined && { statusMessage: message }),
    createdAt,
    lastUpdatedAt,
    ttl: ttlMs ?? null,
    ...(pollIntervalMs !== undefined && { pollInterval: pollIntervalMs }),
  }
}

/** Reports whether the status of a task is final. */
export function isFinalTask({ status }: JsonObject): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** Returns the text of a result with `isError`, or `undefined` for any other task. */
function errorTextOf({ status, result }: JsonObject): string | undefined {
  if (status !== 'completed' || !isObject(result) || result.isError !== true) return undefined
  const [block] = Array.isArray(result.content) ? (result.content as unknown[]) : []
  return isObject(block) && typeof block.text === 'string' ? block.text : 'The tool failed'
}

/** Returns the error of a task that failed or was cancelled. */
export function taskError({ error, status }: JsonObject): RpcError {
  if (!isObject(error)) return new RpcError(ErrorCode.internalError, `The task was ${status}`)
  return new RpcError(Number(error.code), String(error.message), error.data)
}
