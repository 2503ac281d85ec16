import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'

/** Renders a task: other names for times, and a result that is an error makes it a failed one. */
export function renderTask(task: JsonObject): JsonObject {
  const { taskId, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task
  const failure = failureOf(task)
  const message = statusMessage ?? failure
  return {
    taskId,
    status: failure === undefined ? task.status : 'failed',
    ...(message !== undefined && { statusMessage: message }),
    createdAt,
    lastUpdatedAt,
    ttl: ttlMs ?? null,
    ...(pollIntervalMs !== undefined && { pollInterval: pollIntervalMs }),
  }
}

/** Tells whether nothing of a task will change any more. */
export function isFinal({ status }: JsonObject): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** What a completed task says whose result is an error. */
function failureOf({ status, result }: JsonObject): string | undefined {
  if (status !== 'completed' || !isObject(result) || result.isError !== true) return undefined
  const [block] = Array.isArray(result.content) ? (result.content as unknown[]) : []
  return isObject(block) && typeof block.text === 'string' ? block.text : 'The tool failed'
}

/** The error that a task ended with. */
export function errorOf({ error, status }: JsonObject): RpcError {
  if (!isObject(error)) return new RpcError(ErrorCode.internalError, `The task was ${status}`)
  return new RpcError(Number(error.code), String(error.message), error.data)
}
