import type { JsonObject } from '../jsonrpc/message.ts'
import { withoutNulls } from './client-result.ts'

/** Reads what a server tells of a task: other names for times. */
export function readTask(task: JsonObject): JsonObject {
  const { ttl = null, pollInterval, ...read } = task
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt } = withoutNulls(read)
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs: ttl,
    ...(typeof pollInterval === 'number' && { pollIntervalMs: pollInterval }),
  }
}
